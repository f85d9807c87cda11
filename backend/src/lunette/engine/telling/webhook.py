"""Webhook: a POST of JSON over TLS, signed so that the receiver can tell who sent it and when."""

import hashlib
import hmac
import json
import time

import httpx2

from lunette.domain.messages import Message
from lunette.domain.settings import WebhookSettings
from lunette.engine.telling.failure import TIMEOUT_S, NotTold, trust, words_of


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 of the timestamp, a full stop and the body, in hex: an old message cannot be sent again as new."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def send(settings: WebhookSettings, message: Message, trusted_ca: str | None) -> str:
    """What came of it, in words. Follows no redirect: a signed message goes where it was meant to, or nowhere.

    Raises NotTold.
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
    where = settings.url.partition("?")[0]
    try:
        with httpx2.Client(verify=trust(trusted_ca), timeout=TIMEOUT_S, trust_env=False) as client:
            response = client.post(settings.url, content=body, headers=headers)
    except httpx2.TimeoutException as error:
        raise NotTold(words_of(TimeoutError(), where), was_answered=False) from error
    except httpx2.HTTPError as error:
        raise NotTold(words_of(error, where), was_answered=False) from error
    if not response.is_success:
        raise NotTold(f"{where} answers {response.status_code}: {response.text[:200]}", was_answered=True)
    return f"{where} answered {response.status_code}"
