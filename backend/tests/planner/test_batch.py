"""What prevents a change of many is named for each, at its place in the request."""

from dataclasses import dataclass

import pytest

from lunette.domain.errors import Conflict, InUse, Invalid, LunetteError
from lunette.planner.checks.batch import Chosen, check_each, titled
from lunette.planner.checks.findings import Findings

REFUSAL = ("No volume was erased", "Deleted volume {} was not erased")


@dataclass(frozen=True)
class Thing:
    id: str
    name: str


A, B, MAPPED = Thing("1", "a"), Thing("2", "b"), Thing("3", "mapped")


def check(findings: Findings, one: Thing, where: str) -> None:
    if one is MAPPED:
        findings.add(InUse, where, one.name, "it is mapped")


def refused(*chosen: Chosen[Thing]) -> LunetteError:
    with pytest.raises(LunetteError) as error:
        check_each("deleted_volume", chosen, REFUSAL, check)
    return error.value


def test_each_that_is_in_the_way_is_named_at_its_place() -> None:
    one = refused(
        Chosen("a", A),
        Chosen("mapped", MAPPED),
        Chosen("gone", None),
        Chosen("1", A),
        Chosen("b", B, "Volume b is changing now"),
    )
    assert (type(one), one.detail.partition(":")[0]) == (Invalid, "No volume was erased")
    assert {problem.field: problem.message for problem in one.errors} == {
        "deleted_volumes[1]": "deleted volume mapped: it is mapped",
        "deleted_volumes[2]": "deleted volume gone was not found; it may have been deleted. Reload the list",
        "deleted_volumes[3]": "deleted volume a is listed twice, here and at deleted_volumes[0]",
        "deleted_volumes[4]": "deleted volume b: Volume b is changing now",
    }


def test_a_single_one_is_named_once() -> None:
    assert refused(Chosen("mapped", MAPPED)).detail == "Deleted volume mapped was not erased: it is mapped."
    busy = refused(Chosen("b", B, "Volume b is changing now"))
    assert (type(busy), busy.detail) == (Conflict, "Deleted volume b was not erased: Volume b is changing now.")


def test_the_rest_is_in_the_order_of_the_request() -> None:
    assert check_each("deleted_volume", [Chosen("b", B), Chosen("a", A)], REFUSAL, check) == [B, A]
    assert titled("Erase {} volumes", "Erase volume {}", [B, A]) == "Erase 2 volumes"
    assert titled("Erase {} volumes", "Erase volume {}", [A]) == "Erase volume a"
