"""The way into an appliance's API: a client that waits as long as the machines of today need, and the first login on a
fresh appliance as an administrator does it: one-time password, new password, API token."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lunette.client import Client, Endpoint, fetch_fingerprint
from tests.machines.pace import within

ANSWER_S = 300.0
"""What an answer of an emulated appliance takes at most at a pace of 1."""


@dataclass(frozen=True)
class Access:
    """What the lab made of the one-time password."""

    endpoint: Endpoint
    password: str


class PatientClient(Client):
    """The client as hosts and people have it, with its times multiplied by the pace of today."""

    def __init__(self, endpoint: Endpoint, timeout_s: float = ANSWER_S) -> None:
        super().__init__(endpoint, within(timeout_s))

    def wait(
        self,
        job: Mapping[str, Any],
        *,
        deadline_s: float = 3600.0,
        seen: Callable[[dict[str, Any]], None] | None = None,
    ) -> dict[str, Any]:
        """See Client.wait."""
        return super().wait(job, deadline_s=within(deadline_s), seen=seen)


def fingerprint_of(url: str) -> str:
    """The fingerprint of the certificate that an appliance shows."""
    return fetch_fingerprint(url, within(60.0))


def first_login(url: str, one_time_password: str, token_name: str = "lab") -> Access:
    """Changes the one-time password to a random one and makes an administrator's API token."""
    endpoint = Endpoint(url=url, fingerprint=fingerprint_of(url))
    password = secrets.token_urlsafe(18)
    with PatientClient(endpoint) as client:
        answer = client.login("admin", one_time_password)
        if not answer["password_change_required"]:
            raise RuntimeError("the appliance accepted its one-time password without asking for another")
        client.post("/password", {"current_password": one_time_password, "new_password": password})
    with PatientClient(endpoint) as client:
        client.login("admin", password)
        token = client.post("/tokens", {"name": token_name, "role": "administrator"})["token"]
    return Access(replace(endpoint, token=token), password)
