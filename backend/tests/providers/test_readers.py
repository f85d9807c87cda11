"""No reader raises anything but ToolFailed, whatever a tool prints; and every reader is put to this test."""

import ast
import contextlib
import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tests import odd_output
from backend.tests.exploring import explored, fixed
from backend.tests.providers.readings import BY_MACHINE, READINGS, SOURCE, Reading
from lunette import providers
from lunette.domain.errors import ToolFailed
from lunette.providers import reading

FEW, MANY = 6, 2000
EVERY = {f"{name}-{n}": one for name, of_it in READINGS.items() for n, one in enumerate(of_it)}
DOCUMENTS = [name for name, one in EVERY.items() if odd_output.is_document(one.text)]


def put(one: Reading, text: str) -> None:
    with contextlib.suppress(ToolFailed):
        one.read(text)


@pytest.mark.parametrize("name", EVERY)
def test_what_was_recorded_is_read(name: str) -> None:
    one = EVERY[name]
    assert one.read(one.text) is not None


@pytest.mark.parametrize("name", EVERY)
def test_a_reader_has_one_error(name: str) -> None:
    @fixed(f"reader {name}", FEW)
    @given(data=st.data())
    def property_(data: st.DataObject) -> None:
        put(EVERY[name], data.draw(odd_output.odd(EVERY[name].text)))

    property_()


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_value_of_a_document_may_be_null_or_text(name: str) -> None:
    one = EVERY[name]
    count = min(120, json.dumps(json.loads(one.text)).count(":"))
    for number in range(count):
        for value in odd_output.ODD_VALUES[:4]:
            put(one, odd_output.another_value(one.text, number, value))


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_a_reader_has_one_error_explored(name: str) -> None:
    @explored(f"reader {name}", MANY)
    @given(data=st.data())
    def property_(data: st.DataObject) -> None:
        put(EVERY[name], data.draw(odd_output.odd(EVERY[name].text)))

    property_()


def test_every_reader_is_put_to_the_test() -> None:
    for module in pkgutil.walk_packages(providers.__path__, f"{providers.__name__}."):
        importlib.import_module(module.name)
    names = {name.removeprefix(f"{providers.__name__}.") for name in reading.READERS}
    assert names == READINGS.keys() | BY_MACHINE


OWN_FILES = {
    "disks/erase.py",
    "exports/paths/trial.py",
    "updates/record.py",
    "updates/efi.py",
    "updates/choice.py",
    "network/trial.py",
    "exports/lio/refused.py",
    "firewall/run.py",
}
"""Modules that write JSON, read back what Lunette itself wrote, or read it line by line inside a reader."""


def _uses(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Attribute) and node.attr == "loads" and isinstance(node.value, ast.Name):
            yield node.value.id


def test_json_of_tools_is_read_by_readers_alone() -> None:
    """A module that decodes JSON on its own would be in no list of readers."""
    found = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if "json" in set(_uses(path))}
    assert found <= OWN_FILES | {"reading.py"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('  advice\n{"a": [\n  1\n]}\n', {"a": [1]}),
        ('{"a": [\n  WARNING: x\n  null\n]}', {"a": [None]}),
        ('{"a":\n"b" is odd\n"b"}', {"a": "b"}),
    ],
)
def test_lines_that_are_no_json_are_left_out(text: str, value: object) -> None:
    assert reading.document(text) == value


@pytest.mark.parametrize("text", ["", "x", '{"a": 1', '{"a": [\n{"b": 1, WARNING\n]}', '{"a": [\n{"b": 1\n]}'])
def test_a_row_that_is_damaged_is_never_left_out(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 of json
        reading.document(text)
