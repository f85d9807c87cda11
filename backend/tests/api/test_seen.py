"""What is indexed of a look at the machine is shared by requests, and never outlives it."""

from lunette.api.answers.seen import Seen
from lunette.domain.observations import Observation
from lunette.domain.volumes import ObservedVolume


def look(*ids: str) -> Observation:
    volumes = tuple(
        ObservedVolume(
            volume_id=one,
            group="g",
            name=one,
            device=f"/dev/g/{one}",
            size_bytes=1,
            active=True,
            open=False,
            sealed=True,
        )
        for one in ids
    )
    return Observation(
        taken_at=1.0, hostname="", kernel="", disks=(), arrays=(), pools=(), volumes=volumes, engines=(), addresses=()
    )


def test_the_index_is_that_of_the_look_that_is_asked_about() -> None:
    first, second = look("a"), look("a", "b")
    assert Seen(first, None).volumes is Seen(first, None).volumes
    assert set(Seen(second, None).volumes) == {"a", "b"}
    assert set(Seen(first, None).volumes) == {"a"}
    assert Seen(None, None).volumes == {}
