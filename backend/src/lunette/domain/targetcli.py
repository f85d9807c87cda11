"""Migration from and to targetcli: which parts of a `saveconfig.json` can be transferred, and which cannot."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_serializer

from lunette.domain.base import Model
from lunette.domain.texts import Documented

MAX_OBJECTS = 16384


class Saveconfig(Model):
    """All LIO exports in the format of `targetctl restore` and targetcli (rtslib-fb 2.1 and later)."""

    document: dict[str, Any]
    """Content of the `saveconfig.json`."""
    has_secrets: bool
    """Whether the document contains all CHAP secrets. If `false`, hosts with CHAP cannot log in to the restored
    targets."""
    left_out: tuple[str, ...]
    """Objects and values that the document does not contain, each with the action to take."""


class _Saved(Documented, BaseModel):
    """Data as rtslib writes it. Fields that do not matter for the inspection are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Attributes = dict[str, int | str | None]


class SavedAluaGroup(_Saved):
    """An ALUA target port group of a backstore."""

    name: str
    """Name of the ALUA group."""
    alua_access_state: int | None = 0
    """ALUA access state of the group. 0 is active/optimized, the only state that Lunette supports. `null` counts as
    0."""


class SavedStore(_Saved):
    """A backstore."""

    name: str
    """Name of the backstore."""
    plugin: str
    """Type of the backstore. Lunette supports `block` only."""
    dev: str | None = None
    """Path of the device or file. `null` if the backstore has none."""
    wwn: str | None = None
    """Unit serial number, from which LIO derives the NAA. `null` if the backstore has none; Lunette then cannot serve
    it."""
    readonly: bool | None = False
    """Whether the backstore is read-only. Lunette does not support read-only backstores. `null` counts as `false`."""
    exclusive: bool | None = True
    """Whether LIO opens the device exclusively. Lunette does not support `false`. `null` counts as `true`."""
    attributes: Attributes = {}
    """Attributes of the backstore by name."""
    alua_tpgs: tuple[SavedAluaGroup, ...] = ()
    """ALUA target port groups of the backstore."""

    @property
    def reference(self) -> str:
        """How LUNs name it, which is its path in targetcli."""
        return f"/backstores/{self.plugin}/{self.name}"


class SavedLun(_Saved):
    """A LUN of a target portal group."""

    index: int
    """Number of the LUN in the target portal group."""
    storage_object: str
    """Path of the backstore in targetcli, such as `/backstores/block/disk1`."""
    alua_tg_pt_gp_name: str | None = None
    """Name of the LUN's ALUA group. Lunette supports the default group only. `null` means the default group."""


class SavedPortal(_Saved):
    """A portal of a target portal group."""

    ip_address: str
    """IP address of the portal."""
    port: int
    """TCP port of the portal."""
    iser: bool | None = False
    """Whether the portal serves iSER. `null` counts as `false`."""
    offload: bool | None = False
    """Whether the portal is offloaded to a Chelsio adapter, which Lunette does not support. `null` counts as
    `false`."""


class SavedMappedLun(_Saved):
    """A LUN that an initiator sees."""

    index: int
    """LUN under which the initiator sees the volume."""
    tpg_lun: int
    """Number of the LUN in the target portal group."""
    write_protect: bool | None = False
    """Whether the LUN is read-only for the initiator, which Lunette does not support. `null` counts as `false`."""


class SavedAcl(_Saved):
    """An ACL: the access of one initiator."""

    node_wwn: str
    """IQN or WWPN of the initiator."""
    attributes: Attributes = {}
    """Attributes of the ACL by name."""
    mapped_luns: tuple[SavedMappedLun, ...] = ()
    """LUNs that the initiator sees."""
    chap_userid: str | None = None
    """CHAP user name that the initiator must present. `null` if no user name is set."""
    chap_password: SecretStr | None = None
    """CHAP secret of the initiator. `null` if no secret is set."""
    chap_mutual_userid: str | None = None
    """CHAP user name that the target presents to the initiator. `null` if no user name is set."""
    chap_mutual_password: SecretStr | None = None
    """CHAP secret of the target. `null` if no secret is set."""

    @field_serializer("chap_password", "chap_mutual_password", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        """As the agent reports it; never part of an API response."""
        return value.get_secret_value() if value else None


class SavedGroup(_Saved):
    """A target portal group."""

    tag: int = 1
    """Tag of the target portal group."""
    enable: bool | None = True
    """Whether the target portal group is enabled. `null` counts as `false`."""
    attributes: Attributes = {}
    """Attributes of the target portal group by name."""
    luns: tuple[SavedLun, ...] = ()
    """LUNs of the target portal group."""
    portals: tuple[SavedPortal, ...] = ()
    """Portals of the target portal group."""
    node_acls: tuple[SavedAcl, ...] = ()
    """ACLs of the target portal group, one for each initiator."""


class SavedTarget(_Saved):
    """A target."""

    wwn: str
    """IQN of the target, or WWPN of the FC port."""
    fabric: str
    """Fabric of the target, such as `iscsi` or `qla2xxx`."""
    tpgs: tuple[SavedGroup, ...] = ()
    """Target portal groups of the target."""


class SavedFabric(_Saved):
    """Settings of a fabric."""

    name: str
    """Name of the fabric, such as `iscsi`."""
    discovery_enable_auth: bool | None = False
    """Whether discovery requires CHAP. `null` counts as `false`."""


class SavedConfig(_Saved):
    """A `saveconfig.json` as targetcli and targetctl write it."""

    storage_objects: Annotated[tuple[SavedStore, ...], Field(max_length=MAX_OBJECTS)] = ()
    """Backstores of the configuration."""
    targets: Annotated[tuple[SavedTarget, ...], Field(max_length=MAX_OBJECTS)] = ()
    """Targets of the configuration."""
    fabric_modules: tuple[SavedFabric, ...] = ()
    """Settings of the fabrics."""


class InspectRequest(Model):
    """A request to inspect a targetcli configuration. Lunette does not store the configuration."""

    saveconfig: SavedConfig
    """Content of the `saveconfig.json` to inspect."""


class Finding(Model):
    """Result for one object of a targetcli configuration."""

    path: str
    """Path of the object in targetcli."""
    fits: bool
    """Whether Lunette can serve the object without any difference for hosts."""
    words: str
    """What the object becomes in Lunette, or why Lunette cannot serve the object and what action to take."""


class Inspection(Model):
    """Result of the inspection of a targetcli configuration."""

    fits: int
    """Number of objects that Lunette can serve."""
    refused: int
    """Number of objects that Lunette cannot serve."""
    findings: tuple[Finding, ...]
    """Result for each object of the configuration."""
