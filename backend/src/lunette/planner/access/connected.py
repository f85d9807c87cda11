"""Who would be interrupted by a change, as far as that is known."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Connected:
    """Names of the hosts that are logged in now, and why there may be others, or None."""

    hosts: tuple[str, ...] = ()
    unknown: str | None = None

    def warnings(self) -> tuple[str, ...]:
        return (f"It is not known which hosts are connected: {self.unknown}.",) if self.unknown else ()
