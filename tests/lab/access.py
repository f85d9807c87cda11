"""The first login on a fresh appliance, as an administrator does it: one-time password, new password, API token."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from lunette.client import Client, Endpoint, fetch_fingerprint


@dataclass(frozen=True)
class Access:
    """What the lab made of the one-time password."""

    endpoint: Endpoint
    password: str


def first_login(url: str, one_time_password: str, token_name: str = "lab") -> Access:
    """Changes the one-time password to a random one and makes an administrator's API token."""
    fingerprint = fetch_fingerprint(url, timeout_s=60.0)
    password = secrets.token_urlsafe(18)
    with Client(Endpoint(url=url, fingerprint=fingerprint), timeout_s=300.0) as client:
        answer = client.login("admin", one_time_password)
        if not answer["password_change_required"]:
            raise RuntimeError("the appliance accepted its one-time password without asking for another")
        client.post("/password", {"current_password": one_time_password, "new_password": password})
    with Client(Endpoint(url=url, fingerprint=fingerprint), timeout_s=300.0) as client:
        client.login("admin", password)
        token = client.post("/tokens", {"name": token_name, "role": "administrator"})["token"]
    return Access(Endpoint(url=url, fingerprint=fingerprint, token=token), password)
