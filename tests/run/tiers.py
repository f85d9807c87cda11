"""The tiers of the test suite, read from tiers.toml; adding a tier is adding data."""

import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.machines.images import UML_KERNEL

_DATA = Path(__file__).with_name("tiers.toml")


@dataclass(frozen=True)
class Tier:
    """One command that runs tests and leaves its results as JUnit XML."""

    name: str
    what: str
    shard: str
    lane: str
    """Neighboring tiers of different lanes run side by side; those without a lane run alone."""
    nice: int
    """How far it gives way to other lanes, as in nice(1)."""
    needs: tuple[str, ...]
    budget_s: float
    deadline_s: float
    only_full: bool
    command: tuple[str, ...]
    is_pytest: bool
    covers: tuple[str, ...] = ()
    """Globs of the files that its tests are about, as `:(glob)` of git understands them."""
    uml_kernel: str = ""
    """What user-mode machines boot where it is not what they boot by default, as images.UML_KERNEL says."""

    @property
    def has_machines(self) -> bool:
        """Whether its tests boot machines of their own."""
        return not {"image", "stable-image"}.isdisjoint(self.needs)

    @property
    def environment(self) -> dict[str, str]:
        """What its command finds in its environment."""
        return {UML_KERNEL: self.uml_kernel} if self.uml_kernel else {}

    def argv(self, results: Path) -> list[str]:
        """The command line; results go to `<results>/<tier>.xml`."""
        names = {"{results}": str(results), "{python}": sys.executable}
        return [re.sub(r"\{(results|python)\}", lambda found: names[found[0]], part) for part in self.command]


@dataclass(frozen=True)
class Suite:
    """All tiers in running order, and the reasons for which a test may be skipped even where all is required."""

    tiers: tuple[Tier, ...]
    allowed_skips: tuple[str, ...]

    def shards(self) -> list[str]:
        """The shards of the whole matrix, in running order."""
        return list(dict.fromkeys(tier.shard for tier in self.tiers))


def blocks(tiers: Sequence[Tier]) -> list[list[list[Tier]]]:
    """What runs one after the other: blocks of lanes that run side by side, each a list of tiers in their order."""
    found: list[list[list[Tier]]] = []
    for in_lane, group in groupby(tiers, key=lambda tier: bool(tier.lane)):
        if not in_lane:
            found += [[[tier]] for tier in group]
            continue
        lanes: dict[str, list[Tier]] = {}
        for tier in group:
            lanes.setdefault(tier.lane, []).append(tier)
        found.append(list(lanes.values()))
    return found


def load(path: Path = _DATA) -> Suite:
    """Reads tiers.toml; a tier without a command or with an unknown key is refused."""
    data = tomllib.loads(path.read_text())
    return Suite(
        tiers=tuple(_tier(variant, path) for entry in data["tier"] for variant in _kernels(entry)),
        allowed_skips=tuple(data.get("allowed_skips", ())),
    )


def _kernels(entry: dict[str, object]) -> list[dict[str, object]]:
    """A tier that is `stable_too` is two, the second on Debian 13's user-mode kernel and for the whole matrix alone."""
    tier = {key: value for key, value in entry.items() if key != "stable_too"}
    if not entry.get("stable_too"):
        return [tier]
    needs = entry["needs"]
    assert isinstance(needs, list)
    stable = {key: value for key, value in tier.items() if key not in ("lane", "nice", "shard")}
    stable |= {"name": f"{entry['name']}-stable", "what": f"{entry['what']}, with the kernel of Debian 13"}
    stable |= {"needs": ["stable-image" if need == "image" else need for need in needs]}
    return [tier, stable | {"only_full": True, "uml_kernel": "stable"}]


def _tier(entry: dict[str, object], path: Path) -> Tier:
    name = str(entry.pop("name"))
    is_pytest = "pytest" in entry
    command = entry.pop("pytest", None) or entry.pop("run", None)
    if not isinstance(command, list):
        raise SystemExit(f"{path}: tier {name} has no command: give it `pytest` (arguments) or `run` (argv)")
    argv = [str(part) for part in command]
    if is_pytest:
        argv = [sys.executable, "-m", "pytest", "-p", "tests.run.at_once", *argv, f"--junitxml={{results}}/{name}.xml"]
    needs, covers = entry.pop("needs", []), entry.pop("covers", [])
    assert isinstance(needs, list)
    assert isinstance(covers, list)
    tier = Tier(
        name=name,
        what=str(entry.pop("what")),
        shard=str(entry.pop("shard", name)),
        lane=str(entry.pop("lane", "")),
        nice=int(str(entry.pop("nice", 0))),
        needs=tuple(str(need) for need in needs),
        budget_s=float(str(entry.pop("budget_s"))),
        deadline_s=float(str(entry.pop("deadline_s"))),
        only_full=bool(entry.pop("only_full", False)),
        command=tuple(argv),
        is_pytest=is_pytest,
        covers=tuple(str(one) for one in covers),
        uml_kernel=str(entry.pop("uml_kernel", "")),
    )
    if entry:
        raise SystemExit(f"{path}: tier {name} has keys that mean nothing: {', '.join(sorted(entry))}")
    return tier
