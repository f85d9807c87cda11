"""What the web server of an appliance answers, outside of /api/v1."""

from __future__ import annotations

import ssl
import urllib.request

from tests.machines.pace import within


def fetch(url: str, token: str | None = None) -> str:
    """The text at a URL. The certificate is not verified: the caller compared it at the first login."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(request, context=context, timeout=within(120)) as answer:
        text: str = answer.read().decode()
    return text
