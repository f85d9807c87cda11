"""The table of errors has every type of problem, so that any answer of the agent is raised as what it is."""

import pytest

from lunette.domain.agent_protocol import ProblemReply
from lunette.domain.errors import ERRORS, ProblemType


@pytest.mark.parametrize("kind", ProblemType)
def test_every_type_of_problem_is_one_error(kind: ProblemType) -> None:
    assert ERRORS[kind].type is kind
    error = ProblemReply(type=kind, detail="no").as_error()
    assert type(error) is ERRORS[kind]
    assert error.detail == "no"
