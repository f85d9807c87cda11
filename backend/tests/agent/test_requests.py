"""Every request has one handler, and nothing that is not a request changes anything."""

import json
from typing import Any, get_args, get_type_hints

import pytest

from backend.tests.agent.exports import exports
from backend.tests.fakemachine import FakeSystem
from lunette.agent.core import Agent
from lunette.agent.requests import Answering, answers
from lunette.agent.server import answer
from lunette.domain.agent_protocol import (
    PROTOCOL_VERSION,
    REQUESTS,
    Answer,
    AnyRequest,
    AwaitChange,
    CollectFacts,
    Converge,
    Envelope,
    Hello,
    HelloReply,
    Observe,
    ObserveSessions,
    ProblemReply,
    ReadCopies,
    Request,
    SealCopy,
    answer_type,
)
from lunette.domain.errors import LunetteError, ProblemType

ALL = pytest.mark.parametrize("request_class", REQUESTS.values(), ids=REQUESTS)


def test_every_request_of_the_set_has_one_handler() -> None:
    union, _ = get_args(AnyRequest)
    assert set(get_args(union)) == set(REQUESTS.values()) == set(Agent.handlers)
    assert len(set(Agent.handlers.values())) == len(REQUESTS)


@ALL
def test_a_handler_takes_the_fields_of_its_request_and_returns_its_answer(request_class: type[Request[Any]]) -> None:
    hints = get_type_hints(getattr(Agent, Agent.handlers[request_class]))
    assert hints.pop("return") == answer_type(request_class).model_fields["answer"].annotation
    fields = get_type_hints(request_class)
    assert hints == {name: fields[name] for name in request_class.model_fields if name != "kind"}


def test_a_request_without_a_handler_is_an_error_of_the_class() -> None:
    with pytest.raises(TypeError, match="Deaf does not answer Hello, Observe, "):

        class Deaf(Answering, complete=True):
            pass


def test_two_handlers_of_one_request_are_an_error_of_the_class() -> None:
    with pytest.raises(TypeError, match="one and other of Double both answer SealCopy"):

        class Double(Answering):
            @answers(SealCopy)
            def one(self, order: object) -> int:
                return 1

            @answers(SealCopy)
            def other(self, order: object) -> int:
                return 2


def test_a_handler_that_does_not_take_the_fields_is_an_error_of_the_class() -> None:
    with pytest.raises(TypeError, match=r"Wrong\.seal does not take the fields of SealCopy"):

        class Wrong(Answering):
            @answers(SealCopy)
            def seal(self) -> int:
                return 1


def test_two_requests_of_one_kind_are_an_error() -> None:
    with pytest.raises(TypeError, match="Again and Hello are both of kind hello"):

        class Again(Request[int]):
            kind: str = "hello"

    assert REQUESTS["hello"] is Hello


def test_a_subclass_answers_with_its_own_method() -> None:
    class Other(Agent):
        def hello(self) -> HelloReply:
            return super().hello().model_copy(update={"agent": "other"})

    assert Other(FakeSystem()).ask(Hello()).agent == "other"


def test_what_a_partial_agent_has_no_method_for_is_refused() -> None:
    class Partial(Answering):
        pass

    with pytest.raises(LunetteError, match="no method answers a hello request"):
        Partial().ask(Hello())


@pytest.mark.parametrize(
    "change",
    [
        {"version": 1},
        {"version": PROTOCOL_VERSION + 1},
        {"more": 1},
        {"request": {"kind": "converge all"}},
        {"request": {"more": 1}},
        {"request": {"wanted": {"more": 1}}},
    ],
    ids=json.dumps,
)
def test_another_version_an_unknown_kind_and_an_unknown_field_are_refused_and_change_nothing(
    change: dict[str, Any],
) -> None:
    agent = Agent(FakeSystem())
    message = Envelope(request=Converge(wanted=exports())).model_dump(mode="json")
    reply = answer(agent, json.dumps(_changed(message, change)).encode())
    assert isinstance(reply, ProblemReply)
    assert reply.type is ProblemType.MALFORMED
    assert agent.hello().ledger_generation is None
    assert isinstance(answer(agent, json.dumps(message).encode()), Answer)
    assert agent.hello().ledger_generation == exports().generation


def _changed(value: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    """A copy with these values in it, at any depth."""
    return value | {name: _changed(value[name], one) if isinstance(one, dict) else one for name, one in change.items()}


def test_a_request_says_how_long_its_answer_is_waited_for() -> None:
    assert [Observe().wait_s(given) for given in (10, 120)] == [10, 120]
    assert [ObserveSessions().wait_s(given) for given in (10, 120)] == [10, 15]
    assert [CollectFacts().wait_s(given) for given in (10, 120)] == [600, 600]
    assert [ReadCopies().wait_s(given) for given in (10, 120)] == [3600, 3600]
    assert [AwaitChange(known=0, timeout_s=30).wait_s(given) for given in (10, 120)] == [35, 35]
