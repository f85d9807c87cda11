"""Rules for names that depend on other names."""

import re

from lunette.domain.errors import Conflict, Invalid
from lunette.planner.checks.findings import Findings

_ID = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$", re.IGNORECASE)


def check_name(findings: Findings, noun: str, name: str, taken: bool, field: str = "name") -> None:
    """A name is unique within its noun, and cannot be mistaken for an ID: both are accepted as a reference."""
    if _ID.match(name):
        findings.add(Invalid, field, name, f"{name} has the form of an ID; choose another name")
    elif taken:
        findings.add(Conflict, field, name, f"{noun} {name} already exists; choose another name")
