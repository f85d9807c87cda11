"""The commands that the web page shows for a change are those that make it: a shell reads them, the parser of the
command line takes them, and what is sent is the request of the page. Likewise for curl."""

import json
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from lunette.cli.call import Call
from lunette.cli.parsing import parse
from lunette.cli.running import run
from lunette.cli.screen import Screen
from lunette.client.generated.operations import OPERATIONS
from lunette.domain.units import parse_size

PAGE = Path(__file__).parents[3] / "frontend/src"
SAMPLES = json.loads((PAGE / "changes/commands/samples.gen.json").read_text())
REQUESTS = json.loads((PAGE / "api/requests.gen.json").read_text())
READER = """
{program}() {{
  for one in "$@"; do
    case "$one" in
      /dev/fd/*) printf 'F%s\\0' "$(cat "$one")" ;;
      - | @-) printf 'F%s\\0' "$(cat)" ;;
      *) printf 'A%s\\0' "$one" ;;
    esac
  done
}}
uuidgen() {{ echo 0; }}
{text}
"""
"""Instead of the program, its arguments; of a file what is in it."""
PLAN = {
    "title": "",
    "changes": [],
    "steps": [],
    "devices": [],
    "warnings": [],
    "volumes": [],
    "reused": [],
    "findings": [],
    "targets": [],
    "hosts_interrupted": [],
    "bytes_destroyed": 0,
    "arrays": [{"chosen": True, "sealed_here": True, "name": "tank", "uuid": "", "problem": "skipped"}],
    "hosts": [],
    "secrets_missing": [],
}


def named(sample: dict[str, Any]) -> str:
    return f"{sample['operation']}: {sample['name']}"


def words(program: str, text: str, secrets: dict[str, str]) -> list[tuple[bool, str]]:
    """The arguments as a shell reads them, and whether each is the content of a file."""
    script = READER.format(program=program, text=text)
    ran = subprocess.run(
        ["bash", "-c", script], env={**secrets, "LUNETTE_TOKEN": "t"}, capture_output=True, text=True, check=True
    )
    assert ran.stderr == ""
    return [(one[0] == "F", one[1:]) for one in ran.stdout.split("\0")[:-1]]


class Recorder:
    """A client that answers plans, and keeps what it was asked to do."""

    def __init__(self, sample: dict[str, Any]) -> None:
        self.sample = sample
        self.asked: tuple[str, Any, Any, Any] = ("", {}, {}, {})

    def operate(
        self, operation: str, path: Any = None, query: Any = None, body: Any = None, *, dry_run: bool = False
    ) -> dict[str, Any]:
        if not dry_run:
            self.asked = (operation, path or {}, query or {}, body or {})
        return {**PLAN, "digest": self.sample["body"].get("digest")} if dry_run or operation == "site_plan" else DONE

    def host_show(self, host: str) -> dict[str, Any]:
        return {"name": host}

    def session_list(self) -> list[Any]:
        return []

    def alert_test(self) -> dict[str, Any]:
        self.operate("alert_test")
        return {"results": []}


DONE: dict[str, Any] = {"id": "1", "secrets_missing": []}


class Confirmed(Call):
    """A run of a command whose questions are answered with yes."""

    def confirm(self, question: str, flag: str) -> None:
        assert question, flag

    def confirm_name(self, name: str) -> None:
        assert name


def plain(operation: str, value: Any, place: str = "") -> Any:
    """A request without the ways of writing it: sizes as bytes, numbers as numbers, nothing that holds anyway."""
    if isinstance(value, dict):
        inner = {key: plain(operation, one, f"{place}.{key}".lstrip(".")) for key, one in value.items()}
        defaults = REQUESTS[operation].get("defaults", {})
        clears = not place and operation.endswith(("_patch", "_change"))
        return {
            key: one
            for key, one in inner.items()
            if (one is not None or clears)
            and not (one is False and place.endswith("[]"))
            and one != defaults.get(f"{place}.{key}".lstrip("."), ...)
        }
    if isinstance(value, list):
        return [plain(operation, one, f"{place}[]") for one in value]
    if isinstance(value, str) and place.endswith(("_bytes", "_bytes_s")):
        return parse_size(value)
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return {"on": True, "off": False}.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("sample", [one for one in SAMPLES if "cli" in one], ids=named)
def test_the_command_sends_the_request_of_the_page(sample: dict[str, Any], tmp_path: Path) -> None:
    argv = []
    for index, (is_file, word) in enumerate(words("lunette", sample["cli"], sample["secrets"])):
        file = tmp_path / str(index)
        if is_file:
            file.write_text(word)
        argv.append(str(file) if is_file else word)
    asked = parse(argv)
    assert asked.command is not None
    client = Recorder(sample)
    with Confirmed(asked.command, {**asked.values, "word": asked.word}, Screen(), {}) as call:
        call.__dict__["client"] = client
        run(call)
    operation, path, query, body = client.asked
    assert operation == sample["operation"]
    assert path == sample["path"]
    assert {key: value for key, value in query.items() if value is not None} == sample["query"]
    assert plain(operation, body) == plain(operation, sample["body"])


@pytest.mark.parametrize("sample", SAMPLES, ids=named)
def test_the_call_of_curl_is_the_request_of_the_page(sample: dict[str, Any]) -> None:
    given = words("curl", sample["curl"], sample["secrets"])
    operation = OPERATIONS[sample["operation"]]
    (address,) = (urlsplit(word) for _, word in given if word.startswith("https://"))
    assert address.path == f"/api/v1{operation.path}".format(**sample["path"])
    assert dict(parse_qsl(address.query)) == {key: str(one).lower() for key, one in sample["query"].items()}
    texts = [word for _, word in given]
    assert operation.method == texts[texts.index("-X") + 1]
    headers = dict(word.split(": ", 1) for flag, word in pairwise(texts) if flag == "-H")
    assert headers["Authorization"] == "Bearer t"
    assert ("If-Match" in headers) is operation.if_match
    if sample["body"]:
        (body,) = (word for flag, word in pairwise(texts) if flag in ("-d", "--data-binary"))
        assert headers["Content-Type"] == "application/json"
        assert json.loads(body) == sample["body"]
    else:
        assert not {"-d", "--data-binary"} & set(texts)
