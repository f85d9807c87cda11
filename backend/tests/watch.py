"""What every test watches in addition to its subject.

Names on the agent's command lines stand behind `--`, where none can be taken for an option: the types of the border to
root let none begin with a hyphen, and this holds where one gets in some other way. And what is asked of an agent in the
process of the test could be asked of one behind its socket: the request exists, and is read again as what it was.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.block import crypt
from backend.tests.fakemachine.lvm import tools as lvm_tools
from backend.tests.fakemachine.zfs import tools as zfs_tools
from lunette.agent.core import Agent
from lunette.domain.agent_protocol import Envelope, Request

_PLAIN = ("wipefs", "sync")
"""All of their options are flags."""


def bare_words(argv: Sequence[str]) -> list[str]:
    """The words of a command that stand before `--` and are neither options nor values of options.

    Nothing of tools that know no `--` (mdadm, nvme, hdparm, sg3_utils and blockdev, which are given absolute paths
    alone), nor of dmsetup, which is given names that LVM has made.
    """
    tool, before = argv[0], [*argv[1:]]
    if "--" in before:
        before = before[: before.index("--")]
    if tool == "lvm":
        tool, before = before[0], before[1:]
    if tool in (*lvm_tools.COMMANDS, "lvmdevices") and tool != "dmsetup":
        return lvm_tools.parse(before)[1]
    if argv[:2] == ["zfs", "promote"]:  # it knows no --
        return []
    if tool in zfs_tools.COMMANDS:
        return zfs_tools.split(before[1:])[2]
    if tool == "cryptsetup":
        return crypt.parse(before[1:])[0]
    return [word for word in before if not word.startswith("-")] if tool in _PLAIN else []


@pytest.fixture(autouse=True)
def _names_stand_behind_dashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a test itself runs is what an administrator would type, and free."""
    run, wrong = FakeSystem.run, list[str]()

    def watched(system: FakeSystem, argv: Sequence[str], **more: Any) -> Any:
        if sys._getframe(1).f_globals["__name__"].startswith("lunette.") and bare_words(argv):
            wrong.append(" ".join(argv))
        return run(system, argv, **more)

    monkeypatch.setattr(FakeSystem, "run", watched)
    yield
    assert not wrong, "names that do not stand behind --"


def crossing(request: type[Request[Any]], method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the agent that is called only with what a request can carry. Raises ValidationError before."""
    signature = inspect.signature(method)

    @functools.wraps(method)
    def crossed(agent: Agent, *given: Any, **more: Any) -> Any:
        fields = signature.bind(agent, *given, **more).arguments
        envelope = Envelope(request=request(**{name: value for name, value in fields.items() if name != "self"}))
        assert Envelope.model_validate_json(envelope.model_dump_json()) == envelope
        return method(agent, *given, **more)

    return crossed


@pytest.fixture(autouse=True, scope="session")
def _requests_cross_the_border() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for request, name in Agent.handlers.items():
            if len(request.model_fields) > 1:  # it carries something from the API to the agent
                patch.setattr(Agent, name, crossing(request, getattr(Agent, name)))
        yield
