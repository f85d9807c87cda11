"""Webhook: a POST of JSON over TLS, signed so that the receiver can verify sender and time."""

import hashlib
import hmac
import http.client
import json
import time
from contextlib import closing
from urllib.parse import urlsplit

from lunette.domain.messages import Message
from lunette.domain.secret_urls import SecretUrl
from lunette.domain.settings import WebhookSettings
from lunette.engine.notifications.failure import TIMEOUT_S, DeliveryFailed, trust, words_of

_MAX_READ, _MAX_SHOWN = 4096, 200
"""Limits for a response: enough to see whether it repeats the address, and enough to show why it refuses."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 of the timestamp, a period and the body, in hex: an old message cannot be replayed as new."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def send(settings: WebhookSettings, message: Message, trusted_ca: str | None) -> str:
    """Sends the message. Returns the result in words. Follows no redirect: a signed message only goes to its configured
    server.

    Raises DeliveryFailed.
    """
    body = json.dumps(message.model_dump(mode="json"), ensure_ascii=False).encode()
    timestamp = str(int(time.time()))
    headers = {
        "Content-Type": "application/json",
        "X-Lunette-Delivery": message.id,
        "X-Lunette-Timestamp": timestamp,
    }
    if settings.secret is not None:
        headers["X-Lunette-Signature"] = f"sha256={signature(settings.secret.get_secret_value(), timestamp, body)}"
    url, where = settings.url, settings.url.shown
    try:
        with closing(_connection(url, trusted_ca)) as server:
            server.request("POST", _target(url), body, headers)
            with server.getresponse() as response:
                text = response.read(_MAX_READ).decode(errors="replace")
    except OSError as error:
        raise DeliveryFailed(words_of(error, where), was_answered=False) from error
    except (http.client.HTTPException, ValueError) as error:  # their text may quote the address
        words = f"{where} does not respond with HTTP, or its address is not valid ({type(error).__name__})"
        raise DeliveryFailed(words, was_answered=False) from error
    if not 200 <= response.status < 300:
        said = "its response is omitted because it quotes the secret address" if url.is_quoted_in(text) else text
        raise DeliveryFailed(f"{where} answers {response.status}: {said[:_MAX_SHOWN]}", was_answered=True)
    return f"{where} answered {response.status}"


def _connection(url: SecretUrl, trusted_ca: str | None) -> http.client.HTTPSConnection:
    parts = urlsplit(url.get_secret_value())
    return http.client.HTTPSConnection(parts.hostname or "", parts.port, timeout=TIMEOUT_S, context=trust(trusted_ca))


def _target(url: SecretUrl) -> str:
    parts = urlsplit(url.get_secret_value())
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
