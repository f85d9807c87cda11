"""Compares what a play asks for with what the API shows: sizes, addresses, references, sets, secrets."""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from typing import Any

_UNITS = {"": 1, "b": 1}
for _power, _letter in enumerate("kmgtp", 1):
    _UNITS[_letter + "b"], _UNITS[_letter + "ib"], _UNITS[_letter] = 1000**_power, 1024**_power, 1024**_power
_SIZE = re.compile(r"^(\d+(?:\.\d+)?)\s*([a-z]*)$")


def size_in_bytes(text: str) -> int:
    """Bytes of "10GiB", "1.5 TB" or a plain number, read as the appliance reads them. Raises ValueError."""
    match = _SIZE.match(str(text).strip().lower())
    if not match or match.group(2) not in _UNITS:
        raise ValueError(f'{text!r} is no size: write bytes as a number, or "10GiB" (binary) or "10GB" (decimal)')
    number, unit = match.group(1), _UNITS[match.group(2)]
    return int(float(number) * unit) if "." in number else int(number) * unit


def without_none(value: Any) -> Any:
    """Leaves out of nested options what the play does not mention."""
    if isinstance(value, dict):
        return {key: without_none(one) for key, one in value.items() if one is not None}
    return [without_none(one) for one in value] if isinstance(value, list) else value


def shown_at(resource: Any, path: str) -> Any:
    """What the API shows at a path such as `members.disk_id`; a list on the way gives a list."""
    value = resource
    for step in path.split("."):
        value = [one.get(step) for one in value] if isinstance(value, list) else (value or {}).get(step)
    return value


def is_same(wanted: Any, shown: Any, secrets: Collection[str] = ()) -> bool:
    """True if what is shown has everything that is wanted. Lists are sets; `secrets` are keys that are not shown.

    One that is shown in part, as an address is, differs unless that part is all that is wanted: the appliance is asked.
    """
    if isinstance(wanted, dict):
        return isinstance(shown, dict) and all(
            is_same(value, shown.get(key)) for key, value in wanted.items() if key not in secrets or key in shown
        )
    if isinstance(wanted, list):
        return (
            isinstance(shown, list)
            and len(wanted) == len(shown)
            and all(any(is_same(one, other) for other in shown) for one in wanted)
        )
    return wanted == shown or (
        isinstance(wanted, str) and isinstance(shown, str) and _address(wanted) == _address(shown)
    )


def _address(text: str) -> str:
    """An IP address in its canonical form, the names of a Fibre Channel port in lower case; other text as it is."""
    if text.lower().startswith("nn-0x"):
        return text.lower()
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text


def without_secrets(value: Any, secrets: Collection[str]) -> Any:
    """A spec as it may be printed."""
    if isinstance(value, dict):
        return {key: "(secret)" if key in secrets else one for key, one in value.items()}
    return value
