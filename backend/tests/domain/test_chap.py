"""CHAP names and secrets: what the kernel or a host would change on the way is refused wherever it comes in."""

from collections.abc import Callable

import pytest
from pydantic import BaseModel, SecretStr, TypeAdapter, ValidationError

from lunette.domain.hosts import Chap
from lunette.domain.settings import DiscoveryAuth
from lunette.domain.site import SiteChap
from lunette.store.backup.rows import TYPES
from lunette.store.resources import Host

GOOD = "orange-kettle-7"
WAYS_IN: tuple[type[BaseModel], ...] = (Chap, SiteChap, DiscoveryAuth)
BAD_SECRETS = (
    "NULL",
    "NULLorange-7",
    "NULL-orange-kett",
    " range-kettle-7",
    "orange-kettle- ",
    " " * 12,
    "\torange-kettle",
    "orange\nkettle",
    "orangé-kettle-7",
    "orange-kett\u2007\u2007",
)
BAD_USERS = ("NULL", "NULLwright", " wright", "wright ", "wri ght", "wright\n", "wright\x07", "")


def refusal(made: Callable[[], object]) -> str:
    with pytest.raises(ValidationError) as caught:
        made()
    return str(caught.value)


@pytest.mark.parametrize("model", WAYS_IN)
@pytest.mark.parametrize("field", ["secret", "mutual_secret"])
@pytest.mark.parametrize("secret", BAD_SECRETS)
def test_a_secret_that_would_not_arrive_whole_is_refused(model: type[BaseModel], field: str, secret: str) -> None:
    values = {"user": "wright", "secret": GOOD, "mutual_user": "lamp", "mutual_secret": "copper-kettle-8"}
    assert model.model_validate(values).model_dump()["user"] == "wright"
    assert field in refusal(lambda: model.model_validate(values | {field: SecretStr(secret)}))


@pytest.mark.parametrize("model", WAYS_IN)
@pytest.mark.parametrize("field", ["user", "mutual_user"])
@pytest.mark.parametrize("user", BAD_USERS)
def test_a_name_that_would_not_arrive_whole_is_refused(model: type[BaseModel], field: str, user: str) -> None:
    values = {"user": "wright", "secret": GOOD, "mutual_user": "lamp", "mutual_secret": "copper-kettle-8"}
    assert field in refusal(lambda: model.model_validate(values | {field: user}))


@pytest.mark.parametrize("user", ["null", "Nullmeier", "ANULL", "NUL"])
def test_only_the_word_that_the_kernel_searches_is_refused(user: str) -> None:
    assert Chap(user=user, secret=SecretStr(GOOD)).user == user
    assert Chap(user="wright", secret=SecretStr("null-kettle-7")).secret.get_secret_value() == "null-kettle-7"


def test_a_refused_secret_is_not_shown() -> None:
    words = refusal(lambda: Chap(user="wright", secret=SecretStr("NULLorange-7")))
    assert "must not begin with NULL" in words
    assert "orange" not in words


@pytest.mark.parametrize("column", ["chap_user", "chap_mutual_user"])
def test_a_backup_with_such_a_name_is_refused(column: str) -> None:
    check = TypeAdapter(TYPES[Host][column])
    assert check.validate_python("wright") == "wright"
    assert check.validate_python(None) is None
    assert "NULL" in refusal(lambda: check.validate_python("NULLwright"))
