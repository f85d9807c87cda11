"""One reference run per kind of job and process: the faults are then counted along it."""

from functools import cache
from pathlib import Path

import pytest

from backend.tests.faults.cases import CASES
from backend.tests.faults.harness import Case, Harness
from backend.tests.faults.world import database_template


@pytest.fixture(scope="session")
def template(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the newest schema and its ids."""
    return database_template(sqlite_template, tmp_path_factory.mktemp("faults"))


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def harness(case: Case, template: Path) -> Harness:
    return harness_of(case, template)


@cache
def harness_of(case: Case, template: Path) -> Harness:
    return Harness(case, template)
