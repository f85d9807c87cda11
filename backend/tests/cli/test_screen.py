"""Tables fit the terminal: no broken line, no name cut in the middle, no control characters."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lunette.cli.screen import Screen, fitted, plain, shortened, width_of

ROWS = [
    {
        "name": f"volume-with-a-rather-long-name-{n:03d}",
        "size_bytes": 2 * 1024**4,
        "naa": "6" * 32,
        "export": {"state": "open"},
    }
    for n in range(3)
]
COLUMNS = ("name", "size_bytes", "export.state", "naa")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def table(width: int | None) -> tuple[list[str], str]:
    out = Terminal() if width else io.StringIO()
    err = io.StringIO()
    Screen(out, err, {"COLUMNS": str(width or ""), "NO_COLOR": "1"}, io.StringIO()).table(ROWS, COLUMNS)
    return out.getvalue().splitlines(), err.getvalue()


def test_in_a_pipe_nothing_is_shortened() -> None:
    lines, _ = table(None)
    assert lines[1] == f"volume-with-a-rather-long-name-000  2 TiB  open    {'6' * 32}"
    assert lines[0].split() == ["NAME", "SIZE", "EXPORT", "NAA"]


@pytest.mark.parametrize("width", [120, 80, 60, 40, 26])
def test_no_line_is_wider_than_the_terminal_and_each_row_is_one_line(width: int) -> None:
    lines, remarks = table(width)
    assert len(lines) == 1 + len(ROWS)
    assert all(width_of(line) <= width for line in lines)
    assert len({line.split()[0] for line in lines}) == 1 + len(ROWS), "rows cannot be told apart"
    assert "not shown" not in remarks


def test_columns_that_do_not_fit_at_all_are_named() -> None:
    lines, remarks = table(12)
    assert all(width_of(line) <= 12 for line in lines)
    assert remarks == "Columns not shown: EXPORT, NAA. The terminal is too narrow; --columns selects columns.\n"


@given(st.text(min_size=1, max_size=60), st.integers(1, 40))
def test_a_shortened_text_fits_and_a_short_one_stays(text: str, width: int) -> None:
    text = plain(text)
    assert width_of(shortened(text, width)) <= max(width, 0)
    if width_of(text) <= width:
        assert shortened(text, width) == text


def test_names_are_shortened_in_the_middle() -> None:
    assert shortened("vm-database-042", 9) == "vm-d…-042"
    assert width_of("日本") == 4


@given(st.lists(st.integers(1, 80), min_size=1, max_size=9), st.integers(1, 200))
def test_widths_are_within_the_limit_and_never_grow(widths: list[int], limit: int) -> None:
    found = fitted(widths, limit)
    assert sum(found) + 2 * (len(found) - 1) <= limit
    assert len(found) == 1 or all(now <= before for now, before in zip(found, widths, strict=False))


def test_a_name_cannot_steer_the_terminal() -> None:
    out = Terminal()
    Screen(out, out, {"COLUMNS": "80"}, io.StringIO()).resource({"description": "\x1b[2Jgone\x07"})
    assert out.getvalue() == "description: �[2Jgone�\n"
