"""Makes one resource present as a play describes it, or absent."""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import Appliance
from ansible_collections.lunette.appliance.plugins.module_utils.client import Refused, Unreachable, pauses
from ansible_collections.lunette.appliance.plugins.module_utils.compare import is_same, shown_at, without_secrets
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field, Noun

BUSY = ("creating", "deleting")


class Resource(Appliance):  # type: ignore[misc]  # the collection is importable only where Ansible runs
    """Present: create what is missing, change what differs and may change, refuse what differs and may not."""

    def __init__(self, arguments: dict[str, Any], noun: Noun) -> None:
        super().__init__(arguments)
        self.noun = noun
        self.parameter = noun.item.rpartition("{")[2].rpartition("}")[0]
        """The last parameter of the path: what stands for the resource itself; empty if there is only one of it."""

    def make_true(self) -> None:
        self.run(self._absent if self.params.get("state") == "absent" else self._present)

    def _find(self) -> tuple[Any, str | None]:
        """(resource or None, ETag). By name where the noun has one, else by the options that make up its key."""
        if not self.parameter:
            return self._read(self.noun.item)
        if len(self.noun.key) == 1:
            return self._read(self._item(self.params[self.noun.key[0]]))
        wanted = {name: self.params[name] for name in self.noun.key if self.params[name] is not None}
        filters = {name: value for name, value in wanted.items() if name in self.noun.filters}
        for one in self.client.items(self.address(self.noun.create or "", **self.params), filters):
            if all(self._is_shown(one, name, wanted.get(name)) for name in self.noun.key):
                return self._read(self._item(one["id"]))
        return None, None

    def _read(self, path: str) -> tuple[Any, str | None]:
        try:
            _status, found, etag = self.client.call("GET", path)
            return found, etag
        except Refused as refused:
            if refused.status == 404:
                return None, None
            raise

    def _item(self, reference: str) -> str:
        return str(self.address(self.noun.item, **{**self.params, self.parameter: reference}))

    def _settled(self) -> tuple[Any, str | None]:
        """The resource once no job of an earlier run has it any more."""
        found, etag = self._find()
        if self.params.get("wait") and not self.checking and found and found.get("state") in BUSY:
            for _dummy in pauses(self.params["wait_timeout"]):
                found, etag = self._find()
                if not found or found.get("state") not in BUSY:
                    break
            else:
                raise Unreachable(
                    f"{self._title()} is still {found['state']} after {self.params['wait_timeout']} s: "
                    "look at its job, or raise wait_timeout"
                )
        if found and found.get("state") == "stuck":
            self.fail(
                f"{self._title()} is stuck: taking back a failed job failed too. "
                "Look at the job and resolve it first (job_resolve).",
                resource=found,
            )
        return found, etag

    def _title(self) -> str:
        names = [str(self.params[key]) for key in self.noun.key if self.params.get(key) is not None]
        return " ".join([self.noun.name.replace("_", " "), " to ".join(names)]).strip()

    def _is_shown(self, resource: Any, name: str, value: Any) -> bool:
        if value is None:
            return shown_at(resource, self.noun.fields[name].shown[0]) is None
        field = self.noun.fields[name]
        return any(is_same(value, shown_at(resource, path), field.secrets) for path in field.shown)

    def _present(self) -> None:
        found, etag = self._settled()
        old = self.params.get("renamed_from")
        if found is None and old is not None:
            found, etag = self._read(self._item(old))
        if found is not None:
            self._change(found, etag)
        elif self.noun.create is None:
            self.fail(f"There is no {self._title()}; it is not made through the API.")
        else:
            self._create(self.address(self.noun.create, **self.params))

    def _create(self, collection: str) -> None:
        wish = self._wishes(lambda field: field.create)
        self.result["diff"] = self._diff({}, wish)
        if not self._plan_creation(collection, wish) or self.checking:
            self.result["changed"] = True
            return
        status, made, _dummy = self.client.create(collection, wish, dry_run=False)
        if not self.finished(status, made):
            return
        if status == 202:
            made = self._find()[0]
        self.result["resource"] = made
        late = self._wishes(lambda field: field.patch and not field.create)
        if late:
            found, etag = self._read(self._item(made["id"]))
            self._change(found, etag)

    def _plan_creation(self, collection: str, wish: dict[str, Any]) -> bool:
        """Asks for the plan. In check mode, what an earlier task of the play would have made may be missing: then
        there is no plan (False) and a warning."""
        try:
            return bool(self.planned(self.client.create(collection, wish, dry_run=True)[1]))
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
        if not patch:
            return
        path = self._item(found["id"]) if "id" in found else self._item("")
        match = {"If-Match": etag or "*"}
        plan = self.client.call("PATCH", path, patch, {"dry_run": "true"}, match)[1]
        if not self.planned(plan):
            return  # Written differently, and the same to the appliance.
        self.result["diff"] = self._diff(found, patch)
        if plan["bytes_destroyed"]:
            self.must_keep_data(plan["title"])
        self.result["changed"] = True
        if self.checking:
            return
        status, changed, _dummy = self.client.call("PATCH", path, patch, None, match)
        if self.finished(status, changed):
            self.result["resource"] = self._read(path)[0] if status == 202 else changed

    def _wishes(self, takes: Callable[[Field], bool]) -> dict[str, Any]:
        wishes = {name: self.wanted(name, field) for name, field in self.noun.fields.items() if takes(field)}
        return {name: value for name, value in wishes.items() if value is not None}

    def _differences(self, found: dict[str, Any]) -> dict[str, Any]:
        """Fields to change. Fails on one that differs and cannot be changed."""
        patch = {}
        for name, value in self._wishes(lambda field: True).items():
            field = self.noun.fields[name]
            if name in self.noun.key:
                continue
            anew = bool(field.secrets) and field.patch and self.params["update_secret"]
            hidden = name in field.secrets or not (field.shown or field.patch)
            if not anew and (hidden or (field.shown and self._is_shown(found, name, value))):
                continue
            if field.patch:
                patch[name] = value
                continue
            self._cannot_change(name, value, shown_at(found, field.shown[0]))
        return patch

    def _cannot_change(self, name: str, value: Any, shown: Any) -> None:
        field = self.noun.fields[name]
        message = f"{self._title()}: {name} is {shown} and cannot become {without_secrets(value, field.secrets)}"
        if field.on_difference == "warn":
            self.module.warn(message + ".")
            return
        self.fail(
            f"{message}; it is fixed when it is created. Nothing was changed. Correct the play, or delete it first "
            "(state: absent) and let it be made anew."
        )

    def _diff(self, found: dict[str, Any], wish: dict[str, Any]) -> dict[str, Any]:
        """Before and after, of the fields that change."""
        before: dict[str, Any] = {}
        after: dict[str, Any] = {}
        for name, value in wish.items():
            field = self.noun.fields[name]
            if found and field.shown:
                before[name] = shown_at(found, field.shown[0])
            after[name] = without_secrets(value, field.secrets) if name not in field.secrets else "(secret)"
        return {"before": before, "after": after, "before_header": self._title(), "after_header": self._title()}

    def _absent(self) -> None:
        found, etag = self._settled()
        if found is None:
            return
        path, match = self._item(found["id"]), {"If-Match": etag or "*"}
        self.result["resource"] = found
        self.planned(self.client.call("DELETE", path, None, {"dry_run": "true"}, match)[1])
        self.must_keep_data(self.result["plan"]["title"])
        before = {name: shown_at(found, field.shown[0]) for name, field in self.noun.fields.items() if field.shown}
        self.result["diff"] = {"before": before, "after": {}}
        self.result["changed"] = True
        if self.checking:
            return
        status, answer, _dummy = self.client.call("DELETE", path, None, None, match)
        self.finished(status, answer)


def run_resource(arguments: dict[str, Any], noun: Noun) -> None:
    """The main function of a module for one noun."""
    Resource(arguments, noun).make_true()
