"""Configurations as targetcli writes them, each object accepted or refused with its reason.

`saveconfigs/` has them in the form of rtslib-fb's own dump (node.py, tcm.py, target.py), and the report on each;
LUNETTE_GOLDEN=write rewrites the reports.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from lunette.cli.commands.targetcli import READ
from lunette.domain.identity import naa_of
from lunette.domain.targetcli import Finding, SavedConfig
from lunette.planner.targetcli import inspect
from lunette.planner.targetcli.backstores import slice_of

FOLDER = Path(__file__).parent / "saveconfigs"
SHAPES = sorted(path.stem for path in FOLDER.glob("*.json"))
TARGET = "iqn.2003-01.org.linux-iscsi.store1.x8664:sn"


def saved(name: str) -> SavedConfig:
    return SavedConfig.model_validate_json((FOLDER / f"{name}.json").read_text())


def found(config: SavedConfig) -> dict[str, Finding]:
    return {one.path: one for one in inspect(config).findings}


def verdicts(name: str) -> dict[str, Finding]:
    """By the path without what all have in common."""
    return {path.replace(f"/iscsi/{TARGET}.", "/"): one for path, one in found(saved(name)).items()}


def many(luns: int) -> SavedConfig:
    """One host with so many LUNs, from 0."""
    return SavedConfig.model_validate(
        {
            "storage_objects": [
                {"name": f"v{n}", "plugin": "block", "dev": f"/dev/vg0/v{n}", "wwn": f"{n:08x}"} for n in range(luns)
            ],
            "targets": [
                {
                    "wwn": f"{TARGET}.1",
                    "fabric": "iscsi",
                    "tpgs": [
                        {
                            "attributes": {"authentication": 0},
                            "luns": [{"index": n, "storage_object": f"/backstores/block/v{n}"} for n in range(luns)],
                            "node_acls": [
                                {
                                    "node_wwn": "iqn.1994-05.com.redhat:h1",
                                    "mapped_luns": [{"index": n, "tpg_lun": n} for n in range(luns)],
                                }
                            ],
                        }
                    ],
                }
            ],
        }
    )


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_said_of_each_shape(name: str) -> None:
    reported = inspect(saved(name))
    lines = [f"{'fits' if one.fits else 'NO  '} {one.path}\n     {one.words}\n" for one in reported.findings]
    golden = FOLDER / f"{name}.txt"
    if os.environ.get("LUNETTE_GOLDEN") == "write":
        golden.write_text("".join(lines))
    assert "".join(lines) == golden.read_text()
    assert (reported.fits, reported.refused) == (
        sum(one.fits for one in reported.findings),
        len(reported.findings) - reported.fits,
    )


@pytest.mark.parametrize("name", SHAPES)
def test_every_object_is_judged_once_with_words_and_no_secret(name: str) -> None:
    config = saved(name)
    reported = inspect(config).findings
    assert len({one.path for one in reported}) == len(reported)
    assert all(one.words.endswith(".") and len(one.words) > 10 for one in reported)
    paths = {one.path for one in reported}
    for store in config.storage_objects:
        assert store.reference in paths
    for target in config.targets:
        at = f"/{target.fabric}/{target.wwn}"
        assert at in paths
        if target.fabric not in ("iscsi", "qla2xxx"):
            continue
        for group in target.tpgs:
            inner = f"{at}/tpg{group.tag}" if target.fabric == "iscsi" else at
            expected = [f"{inner}/luns/lun{lun.index}" for lun in group.luns]
            expected += [f"{inner}/portals/{one.ip_address}:{one.port}" for one in group.portals]
            for acl in group.node_acls:
                expected += [f"{inner}/acls/{acl.node_wwn}"]
                expected += [f"{inner}/acls/{acl.node_wwn}/mapped_lun{one.index}" for one in acl.mapped_luns]
            assert paths.issuperset(expected)
    text = (FOLDER / f"{name}.json").read_text()
    secrets = [value for key, value in _strings(json.loads(text)) if key.endswith("password")]
    assert not [secret for secret in secrets for one in reported if secret in one.words]


def test_three_hundred_luns_fit_up_to_the_last_number_lunette_has() -> None:
    reported = found(many(300))
    refused = [path for path, one in reported.items() if not one.fits]
    assert refused == [
        f"/iscsi/{TARGET}.1/tpg1/acls/iqn.1994-05.com.redhat:h1/mapped_lun{number}" for number in range(256, 300)
    ]
    assert "0 to 255" in reported[refused[0]].words


def test_the_number_a_host_sees_counts_not_that_of_the_portal_group() -> None:
    reported = verdicts("differing-numbers")
    acl = "/00000000f001/tpg1/acls/iqn.1994-05.com.redhat:esx1"
    assert reported[f"{acl}/mapped_lun10"].words == "Mapping of volume v1 to group sn.00000000f001 as LUN 10."
    assert "see different LUNs" in reported["/00000000f002/tpg1"].words
    assert "read-only" in reported["/00000000f003/tpg1/acls/iqn.1994-05.com.redhat:h5/mapped_lun1"].words


def test_an_initiator_with_one_backstore_by_itself_and_in_a_group_does_not_fit() -> None:
    alone, others = "iqn.1994-05.com.redhat:h1", "iqn.1994-05.com.redhat:h2"
    lun = {"index": 1, "storage_object": "/backstores/block/v0"}
    config = many(1).model_dump() | {
        "targets": [
            {
                "wwn": f"{TARGET}.{number}",
                "fabric": "iscsi",
                "tpgs": [
                    {
                        "attributes": {"authentication": 0},
                        "luns": [lun],
                        "node_acls": [
                            {"node_wwn": one, "mapped_luns": [{"index": 1, "tpg_lun": 1}]} for one in initiators
                        ],
                    }
                ],
            }
            for number, initiators in enumerate([(alone,), (alone, others)])
        ]
    }
    reported = found(SavedConfig.model_validate(config))
    for target in (0, 1):
        acl = reported[f"/iscsi/{TARGET}.{target}/tpg1/acls/{alone}"]
        assert not acl.fits
        assert acl.words.startswith("It has /backstores/block/v0 through several targets.")
    assert reported[f"/iscsi/{TARGET}.1/tpg1/acls/{others}"].fits


def test_two_serials_with_the_same_hex_digits_are_one_disk_to_a_host() -> None:
    reported = verdicts("every-kind-of-backstore")
    assert [reported[f"/backstores/block/{name}"].fits for name in ("twin1", "twin2", "good")] == [False, False, True]


@pytest.mark.parametrize(
    ("serial", "naa"),
    [
        ("0123456789abcdef0123456789abcdef", "60014050123456789abcdef0123456789"),
        ("01234567-89ab-cdef-0123-456789abcdef", "60014050123456789abcdef0123456789"),
        ("LUN-7", "60014057000000000000000000000000"),
    ],
)
def test_an_naa_is_made_of_a_serials_hex_digits(serial: str, naa: str) -> None:
    assert naa_of(serial) == naa[:32]


@pytest.mark.parametrize(
    ("device", "slice_"),
    [
        ("/dev/vg0/data", "logical volume data of group vg0"),
        ("/dev/mapper/vg--1-my--data", "logical volume my-data of group vg-1"),
        ("/dev/zvol/rpool/vm/disk1", "zvol rpool/vm/disk1"),
        ("/dev/mapper/mpatha", None),
        ("/dev/mapper/a-b-c", None),
        ("/dev/sdb", None),
        ("/dev/md/data", None),
        ("/dev/disk/by-id/wwn-0x5000", None),
        ("/dev/zvol/rpool", None),
        ("/dev/vg0/../sda", None),
        ("/srv/vg0/data", None),
    ],
)
def test_a_slice_is_known_by_its_path(device: str, slice_: str | None) -> None:
    assert slice_of(device) == slice_


def test_an_empty_configuration_has_nothing_to_say() -> None:
    assert inspect(SavedConfig()).model_dump() == {"fits": 0, "refused": 0, "findings": ()}


@pytest.mark.parametrize("broken", [{"targets": [{"fabric": "iscsi"}]}, {"storage_objects": [{"name": "x"}]}, []])
def test_an_invalid_configuration_is_refused(broken: Any) -> None:
    with pytest.raises(ValidationError):
        SavedConfig.model_validate(broken)


@pytest.mark.parametrize("name", SHAPES)
def test_what_the_command_leaves_out_changes_no_verdict(name: str) -> None:
    slim = _slim(json.loads((FOLDER / f"{name}.json").read_text()))
    assert inspect(SavedConfig.model_validate(slim)) == inspect(saved(name))


def _slim(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _slim(inner) for key, inner in value.items() if key in READ}
    return [_slim(inner) for inner in value] if isinstance(value, list) else value


def _strings(value: Any, key: str = "") -> list[tuple[str, str]]:
    if isinstance(value, dict):
        return [pair for name, inner in value.items() for pair in _strings(inner, name)]
    if isinstance(value, list):
        return [pair for inner in value for pair in _strings(inner, key)]
    return [(key, value)] if isinstance(value, str) else []


WITH_CHAP = {"chap_userid": "h1", "chap_password": "orange-kettle-7"}


@pytest.mark.parametrize(
    ("group", "own", "credentials", "words"),
    [
        ({}, {}, WITH_CHAP, "with CHAP."),
        ({"authentication": None}, {}, WITH_CHAP, "with CHAP."),
        ({"authentication": ""}, {"authentication": -1}, WITH_CHAP, "with CHAP."),
        ({"authentication": "1"}, {}, WITH_CHAP, "with CHAP."),
        ({}, {"authentication": "1"}, WITH_CHAP, "with CHAP."),
        ({}, {"authentication": 0}, WITH_CHAP, "with no CHAP."),
        ({"authentication": 0}, {}, WITH_CHAP, "with no CHAP."),
        ({"authentication": "0"}, {"authentication": 1}, WITH_CHAP, "with CHAP."),
        ({}, {}, {}, "cannot log in"),
        ({}, {}, WITH_CHAP | {"chap_userid": "NULLh1"}, "begins with NULL"),
        ({}, {}, WITH_CHAP | {"chap_password": "NULLkettle-7"}, "begins with NULL"),
        ({}, {}, WITH_CHAP | {"chap_password": "orange-kettle "}, "spaces around it"),
        ({}, {}, WITH_CHAP | {"chap_mutual_userid": "NULL", "chap_mutual_password": "copper-kettle-8"}, "NULL"),
    ],
)
def test_a_portal_group_requires_chap_by_default(group: Any, own: Any, credentials: Any, words: str) -> None:
    config = many(1).model_dump(mode="json")
    config["targets"][0]["tpgs"][0]["attributes"] = group
    config["targets"][0]["tpgs"][0]["node_acls"][0] |= credentials | {"attributes": own}
    reported = found(SavedConfig.model_validate(config))[f"/iscsi/{TARGET}.1/tpg1/acls/iqn.1994-05.com.redhat:h1"]
    assert words in reported.words
    assert reported.fits is reported.words.startswith("Host")
    assert "kettle" not in reported.words
