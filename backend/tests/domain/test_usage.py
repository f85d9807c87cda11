"""When a volume counts as in use, and in what words it is refused."""

import datetime as dt

import pytest

from lunette.domain.errors import InUse
from lunette.domain.usage import BUSY_S, VolumeUse, check_confirmed

NOW = dt.datetime(2026, 11, 22, 12, 0, tzinfo=dt.UTC)


def use(name: str = "v1", iops: float | None = None, ago_s: float | None = None) -> VolumeUse:
    at = NOW - dt.timedelta(seconds=ago_s) if ago_s is not None else None
    return VolumeUse(name=name, iops=iops, last_io_at=at)


@pytest.mark.parametrize(
    ("one", "is_busy"),
    [
        (use(), False),
        (use(iops=0.0), False),
        (use(iops=0.2), True),
        (use(iops=0.0, ago_s=BUSY_S - 1), True),
        (use(iops=None, ago_s=BUSY_S - 1), True),
        (use(iops=0.0, ago_s=BUSY_S + 1), False),
    ],
)
def test_a_volume_is_busy_with_an_io_now_or_a_moment_ago(one: VolumeUse, is_busy: bool) -> None:
    assert one.is_busy(NOW) is is_busy


def test_every_busy_one_that_is_not_named_is_in_the_refusal() -> None:
    uses = [use("a", 5.0), use("b", ago_s=3), use("c"), use("d", 1.0)]
    with pytest.raises(InUse) as refusal:
        check_confirmed(uses, ["d"], NOW)
    assert "a (5.0 IOPS), b (last I/O at 11:59:57 UTC). Nothing was changed." in refusal.value.detail
    assert len(refusal.value.errors) == 2
    check_confirmed(uses, ["a", "b", "d", "unheard-of"], NOW)
