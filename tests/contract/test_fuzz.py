"""Whatever fits or breaks the document: no crash, and every answer is one the document declares.

The application is whole: a real server, the real agent on a fake machine, the scene of `make lab` to stumble over.
Requests come from the document alone (schemathesis), as an administrator.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    allow_header_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from schemathesis.specs.openapi.schemas import OpenApiSchema

from backend.tests.databases import PostgresServer, postgresql_programs
from backend.tests.fakemachine import FakeSystem
from backend.tests.scene import make_scene
from backend.tests.wiring import Api, add_token, make_app, serving
from lunette.api.app import make_app as app_of
from lunette.domain.roles import Role

pytestmark = [pytest.mark.contract, pytest.mark.timeout(300)]
EXAMPLES, MANY = 4, 8
"""Requests invented for each operation, in `make test` and in the whole matrix."""
NOT_HTTP = b"Invalid HTTP request received."
"""The server's own answer to what is no HTTP, as an address of a megabyte: the application never hears of it."""
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
    allow_header_conformance,
]


def _schema(*, bounds: bool) -> OpenApiSchema:
    """The operations of the document. `bounds` adds requests at and beyond each bound of a field: some 80 for each."""
    found = schemathesis.openapi.from_dict(app_of(None).openapi())
    found.config.phases.coverage.enabled = bounds
    return found


few, many = _schema(bounds=False), _schema(bounds=True)


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=[pytest.mark.postgres, pytest.mark.slow])]
)
def address(request: pytest.FixtureRequest) -> Iterator[tuple[str, str]]:
    """Where the application answers, and an administrator's token."""
    with _database(request.param) as url, tempfile.TemporaryDirectory() as folder:
        machine = FakeSystem()
        machine.power.stays_up = True
        machine.add_disks(8)
        machine.add_disks(4, "scsi")
        _, parts = make_app(Path(folder), machine, url)
        with serving(parts) as (where, _server), httpx2.Client(base_url=where, timeout=30.0) as http:
            token = add_token(parts.store, Role.ADMINISTRATOR)
            make_scene(Api(http, token))
            yield where, token


@contextmanager
def _database(kind: str) -> Iterator[str | None]:
    """The URL of a fresh database; None is a SQLite file of the application's own."""
    if kind == "sqlite":
        yield None
        return
    programs = postgresql_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = PostgresServer(programs)
    try:
        yield server.new_database()
    finally:
        server.stop()


SITES = ["site_plan", "site_apply"]
"""They take a whole site, and inventing one costs as much as twenty other requests."""


def fuzzed(examples: int, *, new: bool = False) -> settings:
    """So many requests, the same ones in every run, or new ones."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=not new,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )


@few.exclude(operation_id=["event_stream", *SITES]).parametrize()
@fuzzed(EXAMPLES)
def test_every_answer_is_one_the_document_declares(case: Case[Any], address: tuple[str, str]) -> None:
    _ask(case, *address)


@few.include(operation_id=SITES).parametrize()
@fuzzed(1)
def test_an_answer_to_a_site_is_one_the_document_declares(case: Case[Any], address: tuple[str, str]) -> None:
    _ask(case, *address)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@many.exclude(operation_id=["event_stream"]).parametrize()
@fuzzed(MANY, new=True)
def test_each_of_many_answers_is_one_the_document_declares(case: Case[Any], address: tuple[str, str]) -> None:
    _ask(case, *address)


def _ask(case: Case[Any], where: str, token: str) -> None:
    answer = case.call(base_url=where, headers={"Authorization": f"Bearer {token}"}, timeout=30)
    assume(answer.content != NOT_HTTP)
    case.validate_response(answer, checks=CHECKS)
