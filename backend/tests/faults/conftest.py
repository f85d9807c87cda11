"""One reference run per kind of job and process: the faults are then counted along it."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.tests.faults.cases import CASES
from backend.tests.faults.harness import Case, Harness
from backend.tests.faults.world import database_template

EVERY, OTHERS = 16, 48
ALWAYS = ("create an array", "create volumes", "delete an array", "delete a volume")
"""The jobs that every appliance runs: every test is put to them, with one call that fails and one kill."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--part",
        help="only the cases of one part, 3/16 or any/16: all take hours. --hypothesis-seed says which is `any`",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """`make test` takes one case in OTHERS, puts it to every third test, and takes one fault in EVERY of it.

    The next case is put to other tests, and the full matrix takes them all; those of ALWAYS wait for no turn. What is
    of one case runs in one process: its run without faults is made once.
    """
    groups: dict[tuple[str, int], list[pytest.Function]] = defaultdict(list)
    for item in items:
        case = (
            item.callspec.params.get("case")
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else None
        )
        if isinstance(item, pytest.Function) and isinstance(case, Case):
            item.add_marker(pytest.mark.xdist_group(case.name))
            if not item.get_closest_marker("slow"):
                groups[item.originalname, CASES.index(case)].append(item)
    tests = sorted({name for name, _ in groups})
    for (name, number), faults in groups.items():
        faults.sort(key=lambda fault: fault.name)
        case = CASES[number].name
        if case in ALWAYS:
            taken = _one_of_each_kind(faults, ALWAYS.index(case), both="changes_something" in name)
        elif number % OTHERS or (tests.index(name) + number // OTHERS) % 3:
            taken = []
        else:
            taken = faults[-(number // OTHERS) % min(EVERY, len(faults)) :: EVERY]
        for fault in faults:
            if fault not in taken:
                fault.add_marker(pytest.mark.slow)
    _keep_part(config, items)


def _one_of_each_kind(faults: list[pytest.Function], turn: int, *, both: bool) -> list[pytest.Function]:
    """One fault that ends no process and one that does, where a test has both; or one of them by turns."""
    fails = [fault for fault in faults if "None" in fault.name]
    kills = [fault for fault in faults if fault not in fails]
    taken = [kind[turn % len(kind)] for kind in (fails, kills) if kind]
    return taken if both else [taken[turn % len(taken)]]


def _keep_part(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is of one case stays together; what is of none is dealt out one by one."""
    asked: str | None = config.getoption("--part", default=None)
    if asked is None:
        return
    part, _, parts = asked.partition("/")
    if part == "any":
        part = str(int(config.getoption("--hypothesis-seed") or 0) % int(parts) + 1)
    groups = {item: item.get_closest_marker("xdist_group") for item in items}
    names = {item: str(group.args[0]) if group else item.nodeid for item, group in groups.items()}
    mine = set(sorted(set(names.values()))[int(part) - 1 :: int(parts)])
    config.hook.pytest_deselected(items=[item for item in items if names[item] not in mine])
    items[:] = [item for item in items if names[item] in mine]


@pytest.fixture(scope="session")
def template(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the newest schema and its ids."""
    return database_template(sqlite_template, tmp_path_factory.mktemp("faults"))


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture(scope="session")
def harnesses(template: Path) -> Iterator[dict[str, Harness]]:
    """A harness by the name of its case, made when it is first asked for."""
    made = Harnesses(template)
    yield made
    for harness in made.values():
        harness.close()


class Harnesses(dict[str, Harness]):
    def __init__(self, template: Path) -> None:
        super().__init__()
        self._template = template

    def __missing__(self, name: str) -> Harness:
        case = next(case for case in CASES if case.name == name)
        self[name] = Harness(case, self._template)
        return self[name]


@pytest.fixture
def harness(case: Case, harnesses: dict[str, Harness]) -> Harness:
    return harnesses[case.name]
