"""The one class under every module: what a module declares, it makes true through the API.

Each module file is generated: its documentation, its argument spec, and a declaration of its noun. What happens with
them is here: find, compare, ask the appliance for its plan, act, wait, report.
"""

# Copyright (c) 2026 The Lunette authors
# Simplified BSD License (see https://opensource.org/licenses/BSD-2-Clause)
# SPDX-License-Identifier: BSD-2-Clause

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import Any, NoReturn, Optional
from urllib.parse import quote

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.lunette.appliance.plugins.module_utils.client import (
    CONNECTION,
    Client,
    Refused,
    Unreachable,
    pauses,
)
from ansible_collections.lunette.appliance.plugins.module_utils.compare import size_in_bytes, without_none
from ansible_collections.lunette.appliance.plugins.module_utils.declaration import Field

BUSY = ("creating", "changing", "deleting")
ADDS_UP = ("changes", "steps", "devices", "bytes_destroyed", "hosts_interrupted", "warnings", "volumes")
CONSENTS = ("destroy_data", "wipe", "destroy")
"""Options by which a play says what may be lost; the first one a module has counts."""
Found = tuple[Any, Optional[str]]  # noqa: UP045 (modules run on Python 3.9 too)
"""A resource, or None, and its ETag."""


class Appliance:
    """A run of one module. Ends the process with a result, as modules do."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.module = AnsibleModule(argument_spec=dict(CONNECTION, **arguments), supports_check_mode=True)
        self.params = self.module.params
        self.started = time.monotonic()
        self.progress: list[str] = []
        self.result: dict[str, Any] = {"changed": False}

    def run(self, work: Callable[[], None]) -> None:
        """Calls `work` and reports what it left in `result`, or why it could not be done."""
        client = None
        try:
            client = Client({name[len("appliance_") :]: self.params[name] for name in CONNECTION})
            self.client = client
            work()
        except Refused as refused:
            self.fail(str(refused), problem=refused.problem, status=refused.status, job=refused.job)
        except (Unreachable, ValueError) as error:
            self.fail(str(error))
        finally:
            if client:
                client.close()
        self.module.exit_json(**self._reported())

    def fail(self, message: str, **facts: Any) -> NoReturn:
        """Ends with a failure that carries what is known: the problem document, the job, the plan."""
        known = {key: value for key, value in facts.items() if value}
        self.module.fail_json(msg=message, **dict(self._reported(), **known))
        raise SystemExit(1)  # fail_json ends the process; the type checker does not know

    @property
    def checking(self) -> bool:
        return bool(self.module.check_mode)

    def wanted(self, name: str, field: Field) -> Any:
        """What the play asks for, as the API takes it; None if the play does not mention it."""
        value = without_none(self.params.get(name))
        return size_in_bytes(value) if field.kind == "size" and value is not None else value

    def address(self, template: str, **values: Any) -> str:
        """A path with its parameters filled in."""
        return template.format(**{key: quote(str(value), safe="") for key, value in values.items()})

    def planned(self, answer: dict[str, Any]) -> bool:
        """Keeps the plan for the report, after those before it; True if it would change anything."""
        for warning in answer["warnings"]:
            self.module.warn(warning)
        before = self.result.get("plan")
        self.result["plan"] = {**answer, **{key: before[key] + answer[key] for key in ADDS_UP}} if before else answer
        return bool(answer["changes"] or answer["steps"])

    def confirming(self) -> dict[str, Any]:
        """The query that lets volumes go which hosts use, and gives numbers that others had, where the play allows it;
        refuses to go on where not."""
        plan = self.result.get("plan") or {}
        used = [one["name"] for one in plan.get("volumes") or () if one["busy"]]
        if used and not self.params.get("in_use"):
            how = "; end the I/O on the hosts first, or set in_use: true if that is meant"
            self.fail(f"{plan['title']}: hosts use {', '.join(used)}. Nothing was changed{how}.")
        reused = plan.get("reused") or ()
        if reused and not self.params.get("in_use"):
            reported = ", ".join(f"{one['number']} of {one['owner']} (volume {one['former']})" for one in reused)
            how = "; remove the old devices on the hosts, then set in_use: true, or take another number"
            self.fail(f"{plan['title']}: hosts may still have the old device of {reported}. Nothing was changed{how}.")
        named = list(dict.fromkeys([*used, *(one["former"] for one in reused)]))
        return {"confirm": named} if named else {}

    def must_keep_data(self, what: str) -> None:
        """Refuses to go on where the play did not allow data to be destroyed."""
        consent = next((name for name in CONSENTS if name in self.params), None)
        if consent is None or not self.params[consent]:
            plan = self.result.get("plan") or {"changes": []}
            losses = "; ".join(f"{one['noun']} {one['name']}: {one['detail']}" for one in plan["changes"])
            how = f"; set {consent}: true if that is meant" if consent == "destroy_data" else ""
            self.fail(f"{what} would destroy data ({losses}). Nothing was changed{how}.")

    def read(self, path: str) -> Found:
        """What is at a path; (None, None) if there is nothing."""
        try:
            _status, found, etag = self.client.call("GET", path)
            return found, etag
        except Refused as refused:
            if refused.status == 404:
                return None, None
            raise

    def settled(self, find: Callable[[], Found], title: str) -> Found:
        """What `find` finds, once no job of an earlier run has it any more. Fails on what is stuck."""
        found, etag = find()
        if self.params.get("wait") and not self.checking and found and found.get("state") in BUSY:
            for _dummy in pauses(self.params["wait_timeout"]):
                found, etag = find()
                if not found or found.get("state") not in BUSY:
                    break
            else:
                raise Unreachable(
                    f"{title} is still {found['state']} after {self.params['wait_timeout']} s: "
                    "look at its job, or raise wait_timeout"
                )
        if found and found.get("state") == "stuck":
            self.fail(
                f"{title} is stuck: a failed job could not be rolled back. "
                "Check the job and resolve it first (job_resolve).",
                resource=found,
            )
        return found, etag

    def finished(self, status: int, answer: Any, good: Collection[str] = ("succeeded",)) -> bool:
        """What a change answered: waits for its job if the play does not forbid it. True if it is done."""
        self.result["changed"] = True
        if status != 202:
            return True
        self.result["job"] = answer
        if not self.params.get("wait", True):
            return False
        try:
            self.result["job"] = self.client.wait(answer, self.params["wait_timeout"], self._saw, good)
        except Refused as refused:
            self.result["changed"] = bool(refused.job) and refused.job["state"] == "stuck"
            raise
        return True

    def _saw(self, job: dict[str, Any]) -> None:
        line = f"{job['progress_percent']:.0f} % {job['message'] or job['title']}"
        if not self.progress or self.progress[-1].partition(" s: ")[2] != line:
            self.progress.append(f"{time.monotonic() - self.started:.1f} s: {line}")

    def _reported(self) -> dict[str, Any]:
        return dict(self.result, progress=self.progress) if self.progress else self.result


def run_info(
    arguments: dict[str, Any],
    name: str,
    listed: str | None = None,
    item: str = "",
    filters: Collection[str] = (),
) -> None:
    """A module that reads: the list, filtered, or one resource by its id; without a list, the one thing at `item`."""
    run = Appliance(arguments)

    def read() -> None:
        query = {key: _text(run.params[key]) for key in filters if run.params[key] is not None}
        if listed is None:
            run.result[name] = run.client.call("GET", run.address(item, **run.params), query=query)[1]
        elif item and run.params.get("id") is not None:
            path = run.address(item, **{**run.params, item.rpartition("{")[2].rpartition("}")[0]: run.params["id"]})
            try:
                run.result[name] = [run.client.call("GET", path)[1]]
            except Refused as refused:
                if refused.status != 404:
                    raise
                run.result[name] = []
        else:
            run.result[name] = run.client.items(run.address(listed, **run.params), query, run.params["max_items"])

    run.run(read)


def _text(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value
