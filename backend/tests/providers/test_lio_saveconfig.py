"""Export to targetcli: the file restores the same tree, and what it cannot contain is reported."""

import json
import re

import pytest

from backend.tests.agent.exports import (
    CHAP,
    exports,
    fc_initiator,
    fc_port,
    id_of,
    initiator,
    lun,
    nvme_host,
    portal,
    subsystem,
    target,
    volume,
    wwpn_of,
)
from backend.tests.providers.rtslib_moves import Restorer, picture
from backend.tests.providers.test_lio_converge import ExportRig
from lunette.domain.fc import FcMode, ObservedFcPort
from lunette.domain.mappings import Protocol
from lunette.domain.targetcli import Saveconfig
from lunette.providers.exports.lio.converge import withdraw
from lunette.providers.exports.lio.saveconfig import write

EXCEPTIONS = (
    r"core/iblock_N/[^/]+/wwn/(vendor_id|product_id|revision)",  # a saveconfig has no place for them
    r"core/iblock_N/hba_info",  # an adapter for each backstore
    r"core/iblock_N/[^/]+/info",  # words for people
)
WORDS = re.compile(r"^(SCSI vendor and product|The CHAP secrets|Initiator|Fibre Channel port|LUN \d)")


@pytest.fixture
def rig() -> ExportRig:
    return ExportRig()


def observed(wwpn: str, driver: str = "qla2xxx") -> ObservedFcPort:
    return ObservedFcPort(
        wwpn=wwpn,
        wwnn=wwpn,
        host="host7",
        driver=driver,
        model=None,
        firmware=None,
        symbolic_name=None,
        state="Online",
        speed=None,
        topology=None,
        mode=FcMode.TARGET,
        modes=(FcMode.TARGET,),
        reason=None,
        remotes=(),
        disks=0,
    )


def kept(tree: dict[str, str]) -> dict[str, str]:
    """The part of a picture that must come back."""
    return {path: value for path, value in tree.items() if not any(re.fullmatch(one, path) for one in EXCEPTIONS)}


def begins(found: Saveconfig) -> list[str]:
    return [match[1] if (match := WORDS.match(words)) else words for words in found.left_out]


def test_what_is_restored_is_what_stood_attribute_by_attribute(rig: ExportRig) -> None:
    desired = rig.desired(portals=(portal(21), portal(22, "::")))
    rig.serve(desired)
    before = kept(picture(rig.machine))
    assert any("lun_2/volume" in path for path in before)
    assert before[f"iscsi/{desired.targets[0].iqn}/tpgt_1/enable"] == "1"
    assert withdraw(rig.machine) == {}
    restorer = Restorer(rig.machine)
    restorer.restore(json.loads(json.dumps(write(desired, (), secrets=True).document)))
    assert restorer.errors == []
    assert kept(picture(rig.machine)) == before
    rig.log_in("h42", desired.targets[0].iqn, ("alice", "secretsecret1"))


def test_hosts_with_lost_secrets_are_not_admitted_and_are_named(rig: ExportRig) -> None:
    found = write(rig.desired(), (), secrets=False)
    text = json.dumps(found.model_dump())
    for secret in ("alice", "secretsecret1", "mutualmutual1"):
        assert secret not in text
    assert (found.has_secrets, begins(found)) == (False, ["The CHAP secrets", "SCSI vendor and product"])
    assert "host42:" in found.left_out[0]
    Restorer(rig.machine).restore(found.document)
    iqn = rig.desired().targets[0].iqn
    rig.log_in("h41", iqn)
    for chap in (None, ("", ""), ("alice", "")):
        with pytest.raises(PermissionError):
            rig.log_in("h42", iqn, chap)


def test_with_secrets_nothing_but_vendor_and_product_is_left_out(rig: ExportRig) -> None:
    found = write(rig.desired(), (), secrets=True)
    assert (found.has_secrets, begins(found)) == (True, ["SCSI vendor and product"])
    acl = found.document["targets"][0]["tpgs"][0]["node_acls"][1]
    assert {key: value for key, value in acl.items() if key.startswith("chap")} == {
        "chap_userid": CHAP.user,
        "chap_password": "secretsecret1",
        "chap_mutual_userid": "target",
        "chap_mutual_password": "mutualmutual1",
    }


def test_fibre_channel_is_included_as_rtslib_names_it() -> None:
    own = target(31, [initiator(41)], [lun(51, 7, 11)]).model_copy(update={"fc_initiators": (fc_initiator(61),)})
    desired = exports(volumes=(volume(11),), targets=(own,), fc_ports=(fc_port(71), fc_port(72), fc_port(73)))
    ports = (observed(wwpn_of(71, "50")), observed(wwpn_of(72, "50"), "fcoe"))
    found = write(desired, ports, secrets=True)
    first, second = found.document["targets"][1:]
    assert [(one["fabric"], one["wwn"]) for one in (first, second)] == [
        ("qla2xxx", "naa.5000000000000047"),
        ("tcm_fc", "naa.5000000000000048"),
    ]
    (group,) = first["tpgs"]
    assert group["attributes"]["generate_node_acls"] == 0
    assert group["luns"][0]["storage_object"] == f"/backstores/block/lunette-{id_of(11)}"
    (acl,) = group["node_acls"]
    assert acl["node_wwn"] == "naa.100000000000003d"
    assert acl["mapped_luns"] == [{"alias": "lun", "index": 7, "tpg_lun": 1, "write_protect": False}]
    assert begins(found) == ["Fibre Channel port", "SCSI vendor and product"]
    assert wwpn_of(73, "50") in found.left_out[0]


def test_what_a_saveconfig_cannot_hold_is_reported(rig: ExportRig) -> None:
    under = initiator(41).model_copy(update={"iqn": "iqn.2026-01.com.example:has_underscore"})
    desired = rig.desired(
        targets=(target(31, [under, initiator(42)], [lun(51, 1, 11)]),),
        subsystems=(subsystem(33, [nvme_host(44)], [lun(54, 1, 12), lun(55, 2, 13)]),),
    )
    found = write(desired, (), secrets=True)
    assert [acl["node_wwn"] for acl in found.document["targets"][0]["tpgs"][0]["node_acls"]] == [initiator(42).iqn]
    assert [one["name"] for one in found.document["storage_objects"]] == [f"lunette-{id_of(11)}"]
    assert "underscore" in found.left_out[0]
    assert found.left_out[1].startswith("vol12, vol13 over NVMe")


def test_portals_of_rdma_listen_over_rdma_and_those_of_nvme_are_not_lios(rig: ExportRig) -> None:
    iser = portal(22, "2001:db8::1").model_copy(update={"protocol": Protocol.ISER, "port": 3261})
    found = write(rig.desired(portals=(portal(21), iser)), (), secrets=True)
    assert found.document["targets"][0]["tpgs"][0]["portals"] == [
        {"ip_address": "192.0.2.1", "iser": False, "offload": False, "port": 3260},
        {"ip_address": "[2001:db8::1]", "iser": True, "offload": False, "port": 3261},
    ]


def test_an_empty_appliance_is_an_empty_document() -> None:
    found = write(exports(), (), secrets=True)
    assert found.document == {"fabric_modules": [], "storage_objects": [], "targets": []}
    assert found.left_out == ()
