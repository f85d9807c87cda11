"""A plugin of pytest: what fails is named with its reason when it fails, also in a run that never comes to its end."""

from __future__ import annotations

import pytest


class AtOnce:
    """Writes to the terminal of the process that was started, not to those of its workers."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.ensure_newline()
            self._terminal.write_line(f"{report.when} of {report.nodeid} failed:", red=True)
            self._terminal.write_line(report.longreprtext[-2000:])


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Not in a worker of pytest-xdist, which has no terminal."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(AtOnce(terminal), "at-once")
