"""Makes one resource present as a play describes it, or absent."""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import Appliance, Found
from ansible_collections.lunette.appliance.plugins.module_utils.client import Refused
from ansible_collections.lunette.appliance.plugins.module_utils.compare import is_same, shown_at, without_secrets
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun


class Resource(Appliance):  # type: ignore[misc]  # the collection is importable only where Ansible runs
    """Present: create what is missing, change what differs and may change, refuse what differs and may not."""

    def __init__(self, arguments: dict[str, Any], noun: Noun) -> None:
        super().__init__(arguments)
        self.noun = noun
        self.parameter = noun.item.rpartition("{")[2].rpartition("}")[0]
        """The last parameter of the path: what stands for the resource itself; empty if there is only one of it."""

    def make_true(self) -> None:
        self.run(self._absent if self.params.get("state") == "absent" else self._present)

    def _find(self) -> Found:
        """(resource or None, ETag). By name where the noun has one, else by the options that make up its key.

        An object that the appliance observes but does not manage has no ID, and counts as absent.
        """
        if not self.parameter:
            return self.read(self.noun.item)
        if len(self.noun.key) == 1:
            found, etag = self.read(self._item(self.params[self.noun.key[0]]))
            is_only_seen = found is not None and found.get("id", "") is None
            return (None, None) if is_only_seen else (found, etag)
        wanted = {name: self.params[name] for name in self.noun.key if self.params[name] is not None}
        filters = {name: value for name, value in wanted.items() if name in self.noun.filters}
        for one in self.client.items(self.address(self.noun.create or "", **self.params), filters):
            if all(self._is_shown(one, name, wanted.get(name)) for name in self.noun.key):
                return self.read(self._item(one["id"]))
        return None, None

    def _item(self, reference: str) -> str:
        return str(self.address(self.noun.item, **{**self.params, self.parameter: reference}))

    def _title(self) -> str:
        names = [str(self.params[key]) for key in self.noun.key if self.params.get(key) is not None]
        return " ".join([self.noun.name.replace("_", " "), " to ".join(names)]).strip()

    def _is_shown(self, resource: Any, name: str, value: Any) -> bool:
        if value is None:
            return shown_at(resource, self.noun.fields[name].shown[0]) is None
        field = self.noun.fields[name]
        seen = [shown_at(resource, path) for path in field.shown]
        if field.kind == "members":
            return any(all(any(is_same(one, other) for other in shown) for one in value) for shown in seen)
        return any(is_same(value, shown, field.secrets) for shown in seen)

    def _present(self) -> None:
        found, etag = self.settled(self._find, self._title())
        old = self.params.get("renamed_from")
        if found is None and old is not None:
            found, etag = self.read(self._item(old))
        if found is not None:
            self._change(found, etag)
        elif self.noun.create is None:
            self.fail(f"There is no {self._title()}; it is not made through the API.")
        else:
            self._create(self.address(self.noun.create, **self.params))

    def _create(self, collection: str) -> None:
        spec = self._specs(lambda field: field.create)
        self.result["diff"] = self._diff({}, spec)
        if not self._plan_creation(collection, spec) or self.checking:
            self.result["changed"] = True
            return
        status, made, _dummy = self.client.create(collection, spec, dry_run=False, query=self.confirming())
        if not self.finished(status, made):
            return
        if status == 202:
            made = self._find()[0]
        self.result["resource"] = made
        late = self._specs(lambda field: field.patch and not field.create)
        if late:
            found, etag = self.read(self._item(made["id"]))
            self._change(found, etag)

    def _plan_creation(self, collection: str, spec: dict[str, Any]) -> bool:
        """Asks for the plan. In check mode, what an earlier task of the play would have made may be missing: then
        there is no plan (False) and a warning."""
        try:
            return bool(self.planned(self.client.create(collection, spec, dry_run=True)[1]))
        except Refused as refused:
            fields = {wrong["field"].partition("[")[0] for wrong in refused.problem.get("errors") or ()}
            references = {name for name, field in self.noun.fields.items() if len(field.shown) > 1}
            if not self.checking or refused.problem.get("type") not in ("invalid", "not-found") or fields - references:
                raise
            if not fields and refused.problem["type"] == "invalid":
                raise
            self.module.warn(f"{self._title()} could not be planned: {refused} Does an earlier task make it?")
            return False

    def _change(self, found: dict[str, Any], etag: str | None) -> None:
        self.result.setdefault("resource", found)
        patch = self._differences(found)
        renames = (
            self.params.get("renamed_from") is not None and found[self.noun.key[0]] != self.params[self.noun.key[0]]
        )
        if renames:
            patch[self.noun.key[0]] = self.params[self.noun.key[0]]
        for name in self.params.get("clear") or ():
            if shown_at(found, self.noun.fields[name].shown[0]) is not None:
                patch[name] = None
        path = self._item(found["id"]) if "id" in found else self._item("")
        match = {"If-Match": etag or "*"}
        for name in self._shown_in_part(found, patch):
            if not self.client.call("PATCH", path, {name: patch[name]}, {"dry_run": "true"}, match)[1]["changes"]:
                del patch[name]
        grown = {name: patch.pop(name) for name in list(patch) if self.noun.fields[name].verb}
        if patch:
            self._act(found, patch, lambda query: self.client.call("PATCH", path, patch, query, match))
        for name, value in grown.items():
            self._grow(found, name, value)

    def _shown_in_part(self, found: dict[str, Any], patch: dict[str, Any]) -> list[str]:
        """The fields with a secret of which a part is shown: only the appliance can compare the rest."""
        shown = {
            name: shown_at(found, self.noun.fields[name].shown[0]) for name in patch if self.noun.fields[name].shown
        }
        return [
            name for name, one in shown.items() if isinstance(one, dict) and self.noun.fields[name].secrets & one.keys()
        ]

    def _grow(self, found: dict[str, Any], name: str, value: Any) -> None:
        address = self.address(self.noun.fields[name].verb, **{self.parameter: found["id"]})
        spec = {name: value}
        self._act(found, spec, lambda query: self.client.create(address, spec, "dry_run" in query, "*"))

    def _act(self, found: dict[str, Any], spec: dict[str, Any], act: Callable[[Any], Any]) -> None:
        """Asks for the plan of one change, and makes the change if there is anything to it."""
        plan = act({"dry_run": "true"})[1]
        if not self.planned(plan):
            return  # Written differently, and the same to the appliance.
        self._show_difference(self._diff(found, spec))
        if plan["bytes_destroyed"]:
            self.must_keep_data(plan["title"])
        self.result["changed"] = True
        if self.checking:
            return
        status, changed, _dummy = act(self.confirming())
        if self.finished(status, changed):
            self.result["resource"] = self.read(self._item(found["id"]))[0] if status == 202 else changed

    def _specs(self, takes: Callable[[Field], bool]) -> dict[str, Any]:
        specs = {name: self.wanted(name, field) for name, field in self.noun.fields.items() if takes(field)}
        return {name: value for name, value in specs.items() if value is not None}

    def _differences(self, found: dict[str, Any]) -> dict[str, Any]:
        """Fields to change. Fails on one that differs and cannot be changed."""
        patch = {}
        for name, value in self._specs(lambda field: True).items():
            field = self.noun.fields[name]
            if name in self.noun.key:
                continue
            again = bool(field.secrets) and field.patch and self.params["update_secret"]
            hidden = name in field.secrets or not (field.shown or field.patch)
            if not again and (hidden or (field.shown and self._is_shown(found, name, value))):
                continue
            if field.patch or (field.verb and value > shown_at(found, field.shown[0])):
                patch[name] = value
                continue
            self._cannot_change(name, value, shown_at(found, field.shown[0]))
        return patch

    def _cannot_change(self, name: str, value: Any, shown: Any) -> None:
        field = self.noun.fields[name]
        message = f"{self._title()}: {name} is {shown} and cannot be changed to {without_secrets(value, field.secrets)}"
        if field.kind == "members":
            self.module.warn(message + ".")
            return
        why = "it can only grow" if field.verb else "it is set at creation"
        self.fail(
            f"{message}; {why}. Nothing was changed. Correct the play, or delete it first "
            "(state: absent) and create it again."
        )

    def _diff(self, found: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
        """Before and after, of the fields that change."""
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for name, value in spec.items():
            field = self.noun.fields[name]
            if found and field.shown:
                before[name] = shown_at(found, field.shown[0])
            after[name] = without_secrets(value, field.secrets) if name not in field.secrets else "(secret)"
        return {"before": before, "after": after, "before_header": self._title(), "after_header": self._title()}

    def _show_difference(self, diff: dict[str, Any]) -> None:
        """Adds to the difference reported so far, where one task changes a resource in several ways."""
        reported = self.result.setdefault("diff", diff)
        for side in ("before", "after"):
            reported[side].update(diff[side])

    def _absent(self) -> None:
        found, etag = self.settled(self._find, self._title())
        if found is None:
            return
        path, match = self._item(found["id"]), {"If-Match": etag or "*"}
        self.result["resource"] = found
        cascade = {"cascade": "true"} if self.params.get("cascade") else {}
        self.planned(self.client.call("DELETE", path, None, dict(cascade, dry_run="true"), match)[1])
        if "destroy_data" in self.params or self.result["plan"]["bytes_destroyed"]:
            self.must_keep_data(self.result["plan"]["title"])
        confirmed = self.confirming()
        before = {name: shown_at(found, field.shown[0]) for name, field in self.noun.fields.items() if field.shown}
        self.result["diff"] = {"before": before, "after": {}}
        self.result["changed"] = True
        if self.checking:
            return
        status, answer, _dummy = self.client.call("DELETE", path, None, dict(cascade, **confirmed), match)
        self.finished(status, answer)


def run_resource(arguments: dict[str, Any], noun: Noun) -> None:
    """The main function of a module for one noun."""
    Resource(arguments, noun).make_true()
