"""What is shown of an address, and when a text gives away the rest."""

import json

import pytest
from pydantic import ValidationError

from lunette.domain.secret_urls import SecretUrl, WebUrl
from lunette.domain.settings import WebhookSettings
from lunette.domain.updates import UpdateFetch

WHOLE = "https://Hooks.Example.com:443/services/T0000/B0001/abcdEFGH?key=p%40ss-word"


@pytest.mark.parametrize(
    ("address", "shown", "has_path"),
    [
        (WHOLE, "https://hooks.example.com", True),
        ("https://hooks.example.com", "https://hooks.example.com", False),
        ("https://hooks.example.com/", "https://hooks.example.com", False),
        ("https://hooks.example.com:8443?key=1", "https://hooks.example.com:8443", True),
        ("https://[2001:DB8::1]:443/x", "https://[2001:db8::1]", True),
        ("https://:443/x", "https://:443", True),
    ],
)
def test_scheme_host_and_port_are_shown_and_can_be_read_again(address: str, shown: str, has_path: bool) -> None:
    url = WebhookSettings.model_validate({"url": address}).url
    assert (url.shown, url.has_path, url.get_secret_value()) == (shown, has_path, address)
    assert WebhookSettings.model_validate({"url": url.shown}).url.shown == shown


def test_no_way_to_write_it_down_shows_more() -> None:
    held = WebhookSettings.model_validate({"url": WHOLE})
    written = (str(held), repr(held), f"{held.url} {held.url!r}", held.model_dump_json(), str(held.model_dump()))
    assert [one for one in written if "abcdEFGH" in one or "p%40ss" in one] == []
    assert json.loads(held.model_dump_json())["url"] == "https://hooks.example.com"
    fetched = UpdateFetch.model_validate({"url": "http://updates.example.com:80/x?sig=abcdEFGH"})
    assert "abcdEFGH" not in f"{fetched} {fetched.model_dump_json()}"


@pytest.mark.parametrize(
    "address", ["http://hooks.example.com/x", "https://user:pass@hooks.example.com/x", "https:///x", "ftp://h/x", ""]
)
def test_an_address_without_https_or_with_a_user_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        WebhookSettings.model_validate({"url": address})


def test_the_shown_resource_uses_the_address_of_its_request_and_a_slash_for_the_root() -> None:
    held = SecretUrl(WHOLE)
    assert SecretUrl(WHOLE).asks_for(held)
    assert SecretUrl("https://hooks.example.com").asks_for(held)
    others = ("https://hooks.example.com/", "https://hooks.example.com/x", "https://hooks.example.com:8443")
    assert not any(SecretUrl(other).asks_for(held) for other in others)
    assert SecretUrl("https://hooks.example.com").asks_for(held.root)


@pytest.mark.parametrize(
    "text",
    [
        "Cannot POST /services/T0000/B0001/abcdEFGH",
        "no such hook: ABCDefgh",
        "https:\\/\\/hooks.example.com\\/abcdEFGH",
        "wrong key p@ss-word",
        "wrong key p%40ss-word",
        "&#47;&#97;bcdEFGH",
    ],
)
def test_a_text_that_quotes_a_part_is_found(text: str) -> None:
    assert WebUrl(WHOLE).is_quoted_in(text)


def test_a_text_that_says_something_else_is_let_through() -> None:
    assert not SecretUrl(WHOLE).is_quoted_in("invalid_payload: T0000 is at hooks.example.com")
    assert not SecretUrl("https://hooks.example.com/").is_quoted_in("/ or anything else")
    assert SecretUrl("https://hooks.example.com/a/b").is_quoted_in("there is no /a/b here"), "all of it is short"
