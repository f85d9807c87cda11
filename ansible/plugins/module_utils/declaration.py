"""What a generated module declares about its noun."""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

from collections.abc import Collection


class Field:
    """One option that is a field of the API.

    `shown` are the paths under which the API shows it, none if it never does; `secrets` the keys in it that are never
    shown (the field's own name if it is one). `kind` is "size" for bytes, "members" for a set that changes while the
    resource lives: to be among more is enough, and a difference is a warning. `verb` is the path of the operation that
    makes the field larger.
    """

    def __init__(
        self,
        *,
        create: bool = False,
        patch: bool = False,
        shown: Collection[str] = (),
        secrets: Collection[str] = (),
        kind: str = "",
        verb: str = "",
    ) -> None:
        self.create, self.patch = create, patch
        self.shown, self.secrets = tuple(shown), frozenset(secrets)
        self.kind, self.verb = kind, verb


class Noun:
    """A kind of resource: where it is made, read and changed, by which options it is found, and its fields.

    One that has no name of its own is looked for in the list at `create`, which knows those of `key` in `filters`.
    """

    def __init__(
        self,
        *,
        name: str,
        item: str,
        fields: dict[str, Field],
        create: str | None = None,
        key: Collection[str] = (),
        filters: Collection[str] = (),
    ) -> None:
        self.name, self.item, self.fields = name, item, fields
        self.create, self.key, self.filters = create, tuple(key), tuple(filters)
