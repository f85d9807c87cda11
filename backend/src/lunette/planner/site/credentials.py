"""Credentials of the hosts in a site document: what the document omits is what the appliance has stored."""

from typing import Any

from lunette.domain.dhchap import DhChap
from lunette.domain.errors import Invalid
from lunette.domain.hosts import Chap
from lunette.domain.site import SiteChap, SiteDhChap
from lunette.planner.checks.findings import Findings

FIELDS = ("chap", "dhchap")
"""The fields of a host that hold credentials."""
Asked = SiteChap | SiteDhChap


def credentials(findings: Findings, key: str, place: str, wanted: Asked, held: Asked | None) -> Chap | DhChap | None:
    """What the document requests, with the stored secrets where it gives none.

    Adds to the findings, and returns None, if a secret is not stored or two of them are the same.
    """
    values = _merged(wanted, held)
    for secret in _needed(values):
        if values.get(secret) is None:
            message = f"{key} has no {secret} stored yet: specify it in the document once, it is then stored"
            findings.add(Invalid, f"{place}.{secret}", None, message)
            return None
    try:
        return _whole(wanted, values)
    except ValueError as error:
        findings.add(Invalid, place, None, f"{key}: {_reason(error)}")
        return None


def unchanged(held: Asked | None) -> Chap | DhChap | None:
    """The stored secret; None also if it was lost."""
    if held is None or held.secret is None:
        return None
    values = _merged(held, None)
    return Chap.model_construct(**values) if isinstance(held, SiteChap) else _whole(held, values)


def _merged(wanted: Asked, held: Asked | None) -> dict[str, Any]:
    values = {name: getattr(held, name) for name in type(held).model_fields} if held else {}
    given = {name: getattr(wanted, name) for name in wanted.model_fields_set}
    if isinstance(wanted, SiteDhChap) and given.get("is_mutual") is None and "mutual_secret" in given:
        given["is_mutual"] = wanted.mutual_secret is not None
    values |= {name: value for name, value in given.items() if value is not None or name.startswith("mutual_")}
    if not _is_mutual(values):
        values["mutual_secret"] = None
    return values


def _is_mutual(values: dict[str, Any]) -> bool:
    """CHAP is recognized by its second user, which DH-HMAC-CHAP does not have."""
    return values.get("mutual_user") is not None or bool(values.get("is_mutual"))


def _needed(values: dict[str, Any]) -> tuple[str, ...]:
    return ("secret", "mutual_secret") if _is_mutual(values) else ("secret",)


def _whole(asked: Asked, values: dict[str, Any]) -> Chap | DhChap:
    """Raises ValueError for contradictions."""
    kind = Chap if isinstance(asked, SiteChap) else DhChap
    return kind(**{name: value for name, value in values.items() if name in kind.model_fields})


def _reason(error: ValueError) -> str:
    return str(error).splitlines()[-2 if "\n" in str(error) else 0].strip()
