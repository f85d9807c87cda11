"""What can go wrong between a script and an appliance."""

from typing import Any


class ClientError(Exception):
    """The base of all of them."""


class Refused(ClientError):
    """The appliance answered with a problem document (RFC 9457). `kind` is one of the API's closed set of types."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        self.status, self.problem = status, problem
        self.kind = str(problem.get("type", "")).rsplit(":", 1)[-1].rsplit("/", 1)[-1]
        super().__init__(problem.get("detail") or problem.get("title") or f"HTTP {status}")

    def lines(self) -> list[str]:
        """The problem in words, one line for each wrong field."""
        fields = [f"  {e['field']}: {e['message']}" for e in self.problem.get("errors") or ()]
        return [f"{self.problem.get('title', 'Refused')}: {self}", *fields]


class Unreachable(ClientError):
    """No answer from the appliance."""


class Untrusted(Unreachable):
    """The server that answers is not the trusted appliance. No credentials were sent."""


class ConfigProblem(ClientError):
    """Which appliance is meant cannot be read from the configuration, or the file is open to others."""


class JobFailed(ClientError):
    """A job ended, and not in success."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        error = job.get("error") or {}
        super().__init__(f"job {job['id']} {job['state']}: {error.get('detail') or 'no detail was recorded'}")


class StillRunning(ClientError, TimeoutError):
    """A job has not ended within the waiting time; it continues."""

    def __init__(self, job: dict[str, Any], waited_s: float) -> None:
        self.job = job
        super().__init__(f"job {job['id']} is still {job['state']} after {waited_s:.0f} s")
