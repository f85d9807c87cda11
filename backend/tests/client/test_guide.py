"""The example of docs/howto/script-with-python.md runs as it is written there."""

import re
from pathlib import Path

import pytest

from backend.tests.cli.appliance import appliance

GUIDE = Path(__file__).parents[3] / "docs/howto/script-with-python.md"


def test_the_example_of_the_guide_runs(
    tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    with appliance(tmp_path, sqlite_url) as cli:
        for name in ("HOME", "LUNETTE_URL", "LUNETTE_TOKEN"):
            monkeypatch.setenv(name, cli.env[name])
        exec(compile(example, str(GUIDE), "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "Create array tank destroys 0 bytes",
        "LUN 1 of db1",
        "invalid iqns[0]",
    ]
