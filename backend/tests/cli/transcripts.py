"""Golden transcripts: a file of `$ lunette …` lines with what each printed. LUNETTE_GOLDEN=write rewrites them.

What differs from run to run is replaced: ids, serials, times, ports. A line `# …` is a comment and stays;
`$ pass SECONDS` lets time pass on the machine, `$ plug-fc WWPN` and `$ plug-rdma` add hardware.
"""

import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from backend.tests.cli.appliance import Cli

_HAPPENINGS: dict[str, Callable[..., object]] = {
    "pass": lambda cli, seconds: cli.machine.advance(float(seconds)),
    "plug-fc": lambda cli, wwpn: cli.plug_fc(wwpn),
    "plug-rdma": lambda cli: (cli.machine.plug_rdma(), cli.wait_for("/rdma-devices")),
}
GOLDEN = Path(__file__).parent / "golden"
_VARIES = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\blnt_[A-Za-z0-9_-]{20,}"), "lnt_SECRET"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?"), "TIME"),
    (re.compile(r"\b\d{8}-\d{4,6}\b"), "STAMP"),
    (re.compile(r"\b\d{4}-\d\d-\d\d at \d\d:\d\d"), "TIME"),
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d UTC"), "TIME"),
    (re.compile(r"\bhttp://127\.0\.0\.1:\d+"), "APPLIANCE"),
    (re.compile(r"(\bserial\"?: )\"?[0-9a-f]{8,}\"?"), r"\1VARIES"),
    (re.compile(r"(?<=naa: )\w+|\bnaa\.[0-9a-f]+|\b6[0-9a-f]{31}\b"), "NAA"),
    (re.compile(r"((?:age_s|seq|nguid|eui64|uuid|appliance_id)\"?: )\"?[\w.-]+\"?"), r"\1VARIES"),
    (re.compile(r'(more were not faster"?,\s+"?observed"?:? |group_thread_cnt +\d+ +yes +)"?\d+"?'), r"\1VARIES"),
    (re.compile(r"(\b(?:percent|left_s)\"?: )[\d.]+"), r"\1VARIES"),
    (re.compile(r"(volume \w+: )(?:I/O not counted|0 I/O per second now),"), r"\1NO I/O NOW,"),
    (re.compile(r"\b(lunette[:-]|administrator-)[0-9a-f]{8,}(\.[0-9a-f]{8}\b)?"), r"\1HEX"),
    (re.compile(r"\b([avsd])[0-9a-f]{12}\b"), r"\1HEX"),
    (re.compile(r"md-uuid-[0-9a-f:]+"), "md-uuid-HEX"),
    (re.compile(r"/[^ ]*/(?=\.config/lunette)"), "HOME/"),
)


def settled(text: str) -> str:
    """The text without what varies."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return "\n".join(line.rstrip() for line in text.split("\n"))


def commands(name: str) -> Iterator[str]:
    """The lines of a transcript that are typed, remarks included."""
    for line in (GOLDEN / f"{name}.txt").read_text().splitlines():
        if line.startswith(("$ ", "# ")):
            yield line


def play(name: str, cli: Cli) -> str:
    """The transcript as it is now. `$DISK1` is the id of the first disk; `<<< TEXT` is typed as standard input."""
    parts = []
    for line in commands(name):
        parts.append(f"{line}\n")
        if line.startswith("$ "):
            typed, _, answer = line[2:].partition(" <<< ")
            words = [_known(cli, word) for word in shlex.split(typed)]
            if words[0] in _HAPPENINGS:
                _HAPPENINGS[words[0]](cli, *words[1:])
                cli.settle()
                continue
            assert words[0] == "lunette", line
            parts.append(settled(cli(*words[1:], answer=answer).transcript))
            cli.settle()
    return "".join(parts)


def _known(cli: Cli, word: str) -> str:
    for name, value in cli.known.items():
        word = word.replace(f"${name}", value)
    return word
