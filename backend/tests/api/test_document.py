"""The document every client is generated from."""

import json
import re
from typing import Any

from lunette.api.app import make_app
from lunette.api.document import PATH
from lunette.api.openapi.describe import render
from lunette.domain.errors import ProblemType

DOCUMENT = make_app(None).openapi()
OPERATIONS = {o["operationId"]: o for methods in DOCUMENT["paths"].values() for o in methods.values()}
SCHEMAS: dict[str, Any] = DOCUMENT["components"]["schemas"]
REQUESTS = {name for name in SCHEMAS if name.endswith(("Create", "Patch", "Batch", "Change", "Resolve"))} | {
    "Login",
    "Chap",
    "DhChap",
    "Split",
    "ArrayAddDisks",
    "ArrayAddSpares",
    "ArrayGrow",
    "ArrayReplace",
    "ArrayReshape",
    "ArrayDiskChoice",
    "ArrayScrub",
    "VolumeGrow",
    "VolumeRollBack",
    "VolumeRecover",
    "SnapshotClone",
    "SnapshotRecover",
    "Site",
    "SiteArray",
    "SiteChap",
    "SiteDhChap",
    "SiteHost",
    "SiteHostGroup",
    "SiteSchedule",
    "SiteVolume",
    "SiteRequest",
    "BackupRequest",
    "RebuildRequest",
    "RestoreRequest",
    "Retention",
    "BackupSettings",
    "MailSettings",
    "WebhookSettings",
    "SyslogSettings",
    "DiscoveryAuth",
    "InspectRequest",
    "AdoptRequest",
    "CertificateReplace",
    "ForeignArrayAdopt",
    "UpdateFetch",
    "DiskWipeRequest",
    "DiskLocateRequest",
    "HostVerifyPaths",
    "AlertAcknowledge",
    "AlertSilence",
    "FactorProof",
    "FactorConfirm",
    *(name for name in SCHEMAS if name.startswith("Saved")),
}


def references(node: object) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"].rsplit("/", 1)[-1]} if isinstance(node.get("$ref"), str) else set()
        return own.union(*(references(value) for value in node.values()))
    if isinstance(node, list):
        return set().union(*(references(value) for value in node))
    return set()


def test_the_committed_document_is_the_one_of_this_source() -> None:
    assert PATH.read_text() == render(DOCUMENT), "run `make generate`"


def test_rendering_is_the_same_each_time() -> None:
    assert render(make_app(None).openapi()) == render(DOCUMENT)
    assert json.loads(render(DOCUMENT))["openapi"].startswith("3.1")


def test_operations_are_named_noun_verb_and_the_verb_is_that_of_the_path() -> None:
    verbs = {"list", "show", "create", "patch", "delete", "stream"}
    also = {"password_change", "second_factor_start", "host_kit", "host_kit_download", "host_paths", "disk_history"}
    also |= {"array_capacity"}
    also |= {"update_upload", "site_schema_show"}
    for path, methods in DOCUMENT["paths"].items():
        assert re.fullmatch(r"/[a-z0-9/:.-]+", re.sub(r"\{\w+\}", "x", path))
        for operation in methods.values():
            name = operation["operationId"]
            verb = path.rpartition(":")[2].replace("-", "_") if ":" in path else name.rpartition("_")[2]
            assert name in also or (name.endswith(f"_{verb}") and (":" in path or verb in verbs)), f"{path}: {name}"


def test_every_reference_leads_somewhere() -> None:
    assert references(DOCUMENT) - set(SCHEMAS) == set()


def test_every_refusal_is_a_problem_of_the_closed_set() -> None:
    assert set(SCHEMAS["ProblemType"]["enum"]) == {kind.value for kind in ProblemType}
    for name, operation in OPERATIONS.items():
        refusals = {status: answer for status, answer in operation["responses"].items() if int(status) >= 400}
        assert {"400", "422", "500", "503"} <= set(refusals), name
        for answer in refusals.values():
            assert list(answer["content"]) == ["application/problem+json"], name


def test_every_change_can_be_rehearsed_and_every_post_repeated() -> None:
    for name, operation in OPERATIONS.items():
        parameters = {parameter["name"] for parameter in operation.get("parameters", ())}
        if (
            re.search(r"_(create|batch|resolve|clone|apply|run|disconnect|verify_paths)$|^array_(grow|reshape)$", name)
            and name != "login_create"
        ):
            assert {"dry_run", "Idempotency-Key"} <= parameters, name
        if re.search(r"^volume_(grow|roll_back)$", name):
            assert {"dry_run", "Idempotency-Key", "If-Match"} <= parameters, name
        if re.search(r"_(patch|delete)$", name) and name != "login_delete":
            assert {"dry_run", "If-Match"} <= parameters, name
            assert {"412", "428"} <= set(operation["responses"]), name


def test_answers_have_no_defaults_and_every_field() -> None:
    for name, schema in SCHEMAS.items():
        if name in REQUESTS or "properties" not in schema:
            continue
        assert set(schema["required"]) == set(schema["properties"]), name
        assert [field for field, content in schema["properties"].items() if "default" in content] == [], name


def test_the_stream_is_described_by_its_event() -> None:
    content = OPERATIONS["event_stream"]["responses"]["200"]["content"]
    assert content == {"text/event-stream": {"schema": {"$ref": "#/components/schemas/Event"}}}
    assert "properties" in SCHEMAS["Event"]


def test_every_operation_says_who_may_call_it() -> None:
    assert {o["x-role"] for o in OPERATIONS.values()} == {"public", "viewer", "operator", "administrator"}
    assert [name for name, o in OPERATIONS.items() if o["x-role"] == "public"] == ["health_show", "login_create"]
