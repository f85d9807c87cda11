"""GET /metrics: what a monitoring system gets, and who it is."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse

from backend.tests.fakemachine import FakeSystem
from backend.tests.fakemachine.lio.iscsi import FakeSession
from backend.tests.fakemachine.network.traffic import Io
from backend.tests.scene import ADDRESS, make_array
from backend.tests.wiring import Api, AwayAgent, add_token, make_services, running
from lunette.agent.core import Agent
from lunette.agent.serving import prepare
from lunette.api.metrics import names as measuring
from lunette.api.metrics.exposition import Exposition
from lunette.api.metrics.families import FAMILIES
from lunette.api.requests.services import ApiServices
from lunette.domain.roles import Role
from lunette.engine.counters.performance import Measurement

MIB = 1024**2
IQN = "iqn.2026-01.com.example:db"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for f in parse(text) for s in f.samples}


def openmetrics(text: str) -> list[Metric]:
    return list(parse_openmetrics(text))  # type: ignore[no-untyped-call]


def value(found: Samples, name: str, **labels: str) -> float | None:
    """The value of the one sample of this name whose labels include these."""
    fitting = [v for (n, has), v in found.items() if n == name and labels.items() <= dict(has).items()]
    assert len(fitting) <= 1, fitting
    return fitting[0] if fitting else None


class Serving:
    """An appliance on the fake machine that serves volume `data` to host `db`, which is logged in."""

    def __init__(self, api: Api, machine: FakeSystem, services: ApiServices) -> None:
        self.api, self.machine, self.services = api, machine, services
        make_array(api)
        api.made("/volumes", {"name": "data", "array": "tank", "size_bytes": "64MiB"})
        api.made("/hosts", {"name": "db", "iqns": [IQN]})
        api.made("/portals", {"name": "front", "address": ADDRESS})
        api.made("/mappings", {"volume": "data", "host": "db"})
        api.until(lambda: api.items("/mappings")[0]["state"] == "open")
        self.session: FakeSession
        self.log_in()

    def log_in(self) -> None:
        """The host logs in; again, where its last volume was taken away meanwhile."""
        target = self.api.get("/hosts/db")["target_iqn"]
        self.session = self.machine.login(IQN, target, f"{ADDRESS}:3260")

    def scrape(self) -> Samples:
        """A new pass, five seconds after the one before."""
        self.machine.advance(5.0)
        answer = self.api.ask("GET", "/metrics")
        assert answer.status_code == 200, answer.text
        return samples(answer.text)


@contextmanager
def stand(folder: Path) -> Iterator[Serving]:
    """An appliance on the fake machine in this folder, whose performance is measured only when a test asks for it."""
    machine = FakeSystem()
    machine.clock = time.time()
    machine.add_disks(8)
    prepare(machine)
    services = make_services(folder, Agent(machine))
    with running(services) as http:
        services.control.performance.stop()  # every pass is one that a test asks for
        yield Serving(Api(http, add_token(services.store, Role.ADMINISTRATOR)), machine, services)


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with stand(tmp_path_factory.mktemp("measured")) as found:
        yield found


@pytest.fixture
def serving(standing: Serving) -> Serving:
    standing.services.control.performance.fresh_s = 0.0
    return standing


def test_the_io_of_a_host_is_shown_for_its_volume_and_its_session(serving: Serving) -> None:
    before = serving.scrape()
    io = Io(reads=100, read_bytes=3 * MIB, writes=50, write_bytes=2 * MIB, read_ms=200, write_ms=500)
    serving.machine.carry(serving.session, 1, io, commands=4)
    after = serving.scrape()
    found = {key: after[key] - (before[key] if key[0].endswith("_total") else 0) for key in after}
    volume = {"volume": "data", "array": "tank"}
    assert value(found, "lunette_volume_reads_total", **volume) == 100
    assert value(found, "lunette_volume_read_bytes_total", **volume) == 3 * MIB
    assert value(found, "lunette_volume_written_bytes_total", **volume) == 2 * MIB
    assert value(found, "lunette_volume_write_seconds_total", **volume) == 0.5
    assert value(found, "lunette_array_written_bytes_total", array="tank") == 2 * MIB
    session = {"host": "db", "initiator": IQN, "protocol": "iscsi", "port": "", "volume": "data"}
    assert value(found, "lunette_session_commands_total", **session) == 154
    assert value(found, "lunette_session_read_bytes_total", **session) == 3 * MIB
    assert value(found, "lunette_up") == 1
    assert value(found, "lunette_array_missing_disks", array="tank") == 0
    assert value(found, "lunette_port_received_bytes_total", kind="ethernet", port="eth0") == 2 * MIB


def test_disks_are_called_by_their_own_ids(serving: Serving) -> None:
    found = serving.scrape()
    reported = {dict(labels)["disk"] for name, labels in found if name == "lunette_disk_reads_total"}
    assert reported == {disk["id"] for disk in serving.api.items("/disks")}


def test_every_metric_has_help_and_type_and_no_other_is_reported(serving: Serving) -> None:
    text = serving.api.ask("GET", "/metrics").text
    reported = {family.name: (family.documentation, family.type) for family in parse(text)}
    known = {m.name.removesuffix("_total"): (m.help, m.kind) for family in FAMILIES for m in family.metrics}
    assert reported == known
    labels = {s.name: set(s.labels) for f in parse(text) for s in f.samples}
    expected = {m.name: set(family.labels) for family in FAMILIES for m in family.metrics}
    assert {name: expected[name] for name in labels} == labels


def test_what_the_kernel_does_not_count_is_left_out_and_not_zero(serving: Serving) -> None:
    found = serving.scrape()
    assert value(found, "lunette_port_link_failures_total", port="eth0") is None
    assert value(found, "lunette_port_errors_total", port="eth0") == 0


def test_openmetrics_is_returned_on_request(serving: Serving) -> None:
    answer = serving.api.ask("GET", "/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    assert answer.text.endswith("# EOF\n")
    reported = {family.name: family.type for family in openmetrics(answer.text)}
    assert reported == {m.name.removesuffix("_total"): m.kind for family in FAMILIES for m in family.metrics}


def test_a_token_for_metrics_opens_nothing_else(serving: Serving) -> None:
    token = serving.api.made("/tokens", {"name": "prometheus", "role": "metrics"})["token"]
    asking = Api(serving.api.http, token)
    assert asking.ask("GET", "/metrics").status_code == 200
    for path in ("/volumes", "/performance", "/me", "/status", "/openapi.json", "/tokens"):
        refused = asking.call("GET", path)
        assert (refused.status_code, refused.json()["type"]) == (403, "forbidden"), path
    assert Api(serving.api.http).ask("GET", "/metrics").status_code == 401


def test_no_person_has_the_role_of_a_monitoring_system(serving: Serving) -> None:
    spec = {"username": "ann", "role": "metrics", "password": "long-enough-password"}
    refused = serving.api.post("/users", spec)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "role")


def test_while_the_agent_is_away_metrics_say_so_and_omit_its_counters(tmp_path: Path, sqlite_url: str) -> None:
    services = make_services(tmp_path, AwayAgent(), sqlite_url)
    with running(services) as http:
        found = samples(Api(http, add_token(services.store, Role.METRICS)).ask("GET", "/metrics").text)
    assert value(found, "lunette_up") == 0
    assert value(found, "lunette_alerts", severity="critical") == 0
    assert {name for name, _ in found} == {"lunette_up", "lunette_info", "lunette_alerts"}


def test_of_too_many_the_first_by_name_are_reported_and_the_others_counted(serving: Serving) -> None:
    measured = serving.services.control.performance.now()
    volume = next(iter(measured.counters.volumes.values()))
    many = {f"id{n}": volume for n in range(5)}
    counters = measured.counters.model_copy(update={"volumes": many})
    with serving.services.store.read() as tx:
        names = measuring.names(tx, "x", Measurement(0, None, {}, counters, measured.disk_ids))
    called = dict(zip(many, "ecadb", strict=True))
    names = measuring.Names(
        appliance="x",
        volumes=called,
        arrays={},
        array_of=dict.fromkeys(many, "tank"),
        hosts=names.hosts,
        host_names={},
        measurement=names.measurement,
    )
    made = list(parse(Exposition("1", {}, names, most=2).text()))
    reads = next(family for family in made if family.name == "lunette_volume_reads")
    assert [sample.labels["volume"] for sample in reads.samples] == ["a", "b"]
    omitted = next(family for family in made if family.name == "lunette_omitted")
    assert {s.labels["noun"]: s.value for s in omitted.samples}["volume"] == 3


def test_a_name_with_any_character_is_reported_as_it_is() -> None:
    odd = 'a "quoted"\\nname\nover two lines, {with="more"} 7'
    names = measuring.Names(
        appliance="x",
        volumes={},
        arrays={},
        array_of={},
        hosts={},
        host_names={},
        measurement=None,
    )
    exposition = Exposition(odd, {}, names)
    for found in (parse(exposition.text()), openmetrics(exposition.text(openmetrics=True))):
        (info,) = (family for family in found if family.name == "lunette_info")
        assert [(sample.labels, sample.value) for sample in info.samples] == [({"version": odd}, 1.0)]
