"""A callback plugin of Ansible: writes each task's result as a line of JSON to the file in $LUNETTE_RECORD."""

import json
import os
from pathlib import Path
from typing import Any

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: record
type: aggregate
short_description: Records results
description: Writes each task's result as a line of JSON.
"""


class CallbackModule(CallbackBase):  # type: ignore[misc]  # ansible-core has no types
    """Enabled by name; one line for each task that ended."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "record"
    CALLBACK_NEEDS_ENABLED = True

    def v2_runner_on_ok(self, result: Any) -> None:
        self._write(result)

    def v2_runner_on_failed(self, result: Any, ignore_errors: bool = False) -> None:
        self._write(result, failed=True)

    def _write(self, result: Any, failed: bool = False) -> None:
        line = {"task": result._task.get_name(), "result": {**result._result, "failed": failed}}
        with Path(os.environ["LUNETTE_RECORD"]).open("a") as file:
            file.write(json.dumps(line, default=str) + "\n")
