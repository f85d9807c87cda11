"""Recorded output of real tools: tests/golden, by tool and version."""

from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def recorded(name: str) -> str:
    """The text of one recording, such as mdadm-4.4/examine-none.txt."""
    return (GOLDEN / name).read_text()
