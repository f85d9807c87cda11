"""What a generated module declares about its noun."""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

from collections.abc import Collection


class Field:
    """One option that is a field of the API.

    `shown` are the paths under which the API shows it, none if it never does; `secrets` the keys in it that are never
    shown (the field's own name if it is one); `on_difference` what to do if it differs and cannot be changed. What is
    wanted may be `among` more of its kind. `verb` is the path of the operation that makes the field larger.
    """

    def __init__(
        self, *, create: bool = False, patch: bool = False, shown: Collection[str] = (), secrets: Collection[str] = (),
        is_size: bool = False, on_difference: str = "fail", among: bool = False, verb: str = "",
    ) -> None:  # fmt: skip
        self.create, self.patch = create, patch
        self.shown, self.secrets, self.is_size = tuple(shown), frozenset(secrets), is_size
        self.on_difference, self.among, self.verb = on_difference, among, verb


class Noun:
    """A kind of resource: where it is made, read and changed, by which options it is found, and its fields.

    One that has no name of its own is looked for in the list at `create`, which knows those of `key` in `filters`.
    """

    def __init__(
        self, *, name: str, item: str, fields: dict[str, Field], create: str | None = None, key: Collection[str] = (),
        filters: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.name, self.item, self.fields = name, item, fields
        self.create, self.key, self.filters = create, tuple(key), tuple(filters)
