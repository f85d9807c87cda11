"""The support bundle: the agent's view of the machine and the control plane's records, in one archive.

It is for remote support, so it contains no secrets: responses of the API have none, and the agent removes its own.
"""

import io
import json
import tarfile
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute, Session

import lunette
from lunette.api.answers.journal import alert_answer, event_answer, job_summary
from lunette.api.appliance.status import status_answer
from lunette.api.requests.observed import machine_view, sessions_now
from lunette.api.requests.services import ApiServices
from lunette.domain.agent_protocol import CollectFacts
from lunette.domain.errors import LunetteError
from lunette.store.journal import Alert, Event, Job
from lunette.store.schema import utc_now
from lunette.store.settings import read_settings

Row = TypeVar("Row", Alert, Job, Event)
NEWEST = 2000
"""Maximum number of rows of each table that grows."""
_ABOUT = """\
Support bundle of the appliance {name}, created at {made_at:%Y-%m-%d %H:%M} UTC by Lunette {version}.

The data of the control plane is in database/, the data that the agent read from the system in the other folders. A file
that says "not read" gives the reason. Passwords, keys and CHAP secrets are omitted; names, addresses and serial numbers
are included: send the bundle only to people who are allowed to see these.
"""


def bundle(services: ApiServices) -> tuple[str, bytes]:
    """(its name, a tar.gz with one directory of that name). What cannot be read is replaced by a note."""
    with services.store.read() as tx:
        name = read_settings(tx).shown_name(services.name())
    made_at = utc_now()
    folder = f"lunette-support-{name}-{made_at:%Y%m%dT%H%M%SZ}"
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=6) as packed:
        about = _ABOUT.format(name=name, made_at=made_at, version=lunette.__version__)
        for path, text in (("README.txt", about), *_known(services), *_machine(services)):
            content = text.encode(errors="replace")
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mtime, entry.mode = len(content), int(made_at.timestamp()), 0o600
            packed.addfile(entry, io.BytesIO(content))
    return folder, archive.getvalue()


def _known(services: ApiServices) -> Iterator[tuple[str, str]]:
    seen = machine_view(services)

    def status(tx: Session) -> BaseModel:
        name = read_settings(tx).shown_name(services.name())
        return status_answer(tx, seen, sessions_now(services), name=name, version=lunette.__version__)

    answers: dict[str, Callable[[Session], BaseModel | list[BaseModel]]] = {
        "status": status,
        "site": services.control.site,
        "drift": lambda tx: services.control.drift(tx, seen.seen.observation, seen.away),
        "alerts": lambda tx: [alert_answer(row) for row in tx.scalars(_newest(Alert, Alert.raised_at))],
        "jobs": lambda tx: [job_summary(row) for row in tx.scalars(_newest(Job, Job.created_at))],
        "events": lambda tx: [event_answer(row) for row in tx.scalars(_newest(Event, Event.seq))],
    }
    for name, answer in answers.items():
        try:
            with services.store.read() as tx:
                text = _json(answer(tx))
        except LunetteError as error:
            text = f"not read: {error.detail}\n"
        yield f"database/{name}.json", text
    if seen.seen.observation is not None:
        yield "observation.json", _json(seen.seen.observation)


def _newest(table: type[Row], column: InstrumentedAttribute[Any]) -> Select[Row]:
    return select(table).order_by(column.desc()).limit(NEWEST)


def _json(found: BaseModel | list[BaseModel]) -> str:
    plain = [one.model_dump(mode="json") for one in found] if isinstance(found, list) else found.model_dump(mode="json")
    return json.dumps(plain, indent=1) + "\n"


def _machine(services: ApiServices) -> Iterator[tuple[str, str]]:
    try:
        facts = services.control.agent.ask(CollectFacts())
    except LunetteError as error:
        yield "machine-not-read.txt", f"{error.detail}\n"
        return
    for file in facts.files:
        yield file.name, file.text
