"""`lunette drift`: nothing where all is as wanted, else each difference with its fix."""

import json
from pathlib import Path

from backend.tests.cli.appliance import appliance


def test_drift_says_that_all_is_as_wanted(tmp_path: Path, sqlite_url: str) -> None:
    with appliance(tmp_path, sqlite_url) as cli:
        cli.settle()
        reported = cli("drift")
        words = "No drift: the observed state matches the desired state, and nothing foreign exists.\n"
        assert (reported.code, reported.out) == (0, words)
        assert json.loads(cli("drift", "--json").out)["items"] == []
