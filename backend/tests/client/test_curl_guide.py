"""The commands of docs/howto/change-things-with-curl.md run as they stand there."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from backend.tests.cli.appliance import appliance

GUIDE = Path(__file__).parents[3] / "docs/howto/change-things-with-curl.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_commands_of_the_guide_do_what_it_says(tmp_path: Path, sqlite_url: str) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    script = "".join(f"{block}echo\necho ---\n" for block in blocks)
    with appliance(tmp_path, sqlite_url) as cli:
        env = {"PATH": "/usr/bin:/bin", **{name: cli.env[name] for name in ("LUNETTE_URL", "LUNETTE_TOKEN")}}
        done = subprocess.run(
            ["sh", "-eu", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120, check=True
        )
    _, created, etag, changed, refused, deleted, _ = done.stdout.split("---\n")
    assert json.loads(created)["name"] == "db1"
    assert etag.strip() == '"1"'
    assert json.loads(changed)["description"] == "database"
    problem, status = refused.strip().rsplit("\n", 1)
    assert (json.loads(problem)["status"], status) == (412, "412")
    plan, _, status = deleted.strip().rpartition("}")
    assert json.loads(f"{plan}}}")["changes"][0]["action"] == "destroy"
    assert status.strip() == "204"
