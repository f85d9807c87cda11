"""Does one thing that is neither make, change nor delete, such as `array_replace`; once, where its goal is known."""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.lunette.appliance.plugins.module_utils.appliance import Appliance
from ansible_collections.lunette.appliance.plugins.module_utils.client import (
    ENDED,
    Refused,
    Unreachable,
    pauses,
)
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field

SIGNS = {"create": "+", "change": "~", "interrupt": "!", "destroy": "-"}


class Verb(Appliance):  # type: ignore[misc]  # the collection is importable only where Ansible runs
    """`path` is where the verb is asked for, `item` what it acts on, `is_done` tells if that was done before."""

    def __init__(
        self,
        arguments: dict[str, Any],
        path: str,
        body: dict[str, Field],
        item: str,
        is_done: Callable[..., Any] | None,
    ) -> None:
        super().__init__(arguments)
        self.path, self.body, self.item, self.is_done = path, body, item, is_done
        self.match: str | None = None

    def act(self, can_plan: bool) -> None:
        if self._is_done_before():
            return
        address = self.address(self.path, **self.params)
        spec = {name: self.wanted(name, field) for name, field in self.body.items()}
        spec = {name: value for name, value in spec.items() if value is not None}
        if can_plan and not self._would_change(address, spec):
            return
        confirmed = self.confirming()
        self.result["changed"] = True
        if self.checking:
            return
        status, answer, _dummy = self.client.create(address, spec, False, self.match, confirmed)
        # A stuck job that was resolved has ended, whether it was finished or rolled back.
        resolved = status == 202 and answer["id"] == self.params.get("job")
        self.finished(status, answer, ENDED - {"stuck"} if resolved else ("succeeded",))
        if status != 202:
            self.result["resource"] = answer

    def _is_done_before(self) -> bool:
        """Waits for what an earlier run began, if the play does not forbid it."""
        if not self.item:
            return False
        item = self.address(self.item, **self.params)
        found, etag = self.settled(lambda: self.read(item), item.strip("/").replace("s/", " "))
        self.match = etag or "*"
        if self.is_done is None or found is None:
            return False
        waits = bool(self.params.get("wait")) and not self.checking  # what ends at once has nothing to wait for
        for _dummy in pauses(self.params["wait_timeout"] if waits else 0):
            done = self.is_done(self.params, found, self._look_up)
            if done is not None:
                break
        else:
            if waits:
                raise Unreachable(
                    "an earlier run's work still goes on after {} s; raise wait_timeout".format(
                        self.params["wait_timeout"]
                    )
                )
            done = True
        if done:
            self.result["resource"] = found
        return bool(done)

    def _look_up(self, path: str, **values: str) -> Any:
        return self.read(self.address(path, **values))[0]

    def _would_change(self, address: str, spec: dict[str, Any]) -> bool:
        try:
            plan = self.client.create(address, spec, True, self.match)[1]
        except Refused as refused:
            if not self.checking or refused.problem.get("type") != "not-found":
                raise
            self.module.warn(f"This could not be planned: {refused} Does an earlier task make it?")
            return True
        if not self.planned(plan):
            return False
        lines = [
            "{} {} {}: {}".format(SIGNS[one["action"]], one["noun"], one["name"], one["detail"])
            for one in plan["changes"]
        ]
        self.result["diff"] = {"prepared": "\n".join(lines)}
        if plan["bytes_destroyed"]:
            self.must_keep_data(plan["title"])
        return True


def run_verb(
    arguments: dict[str, Any],
    path: str,
    body: dict[str, Field],
    item: str = "",
    is_done: Callable[..., Any] | None = None,
    can_plan: bool = True,
) -> None:
    """The main function of a module for one verb."""
    verb = Verb(arguments, path, body, item, is_done)
    verb.run(lambda: verb.act(can_plan))
