"""Coming from targetcli and leaving to it: what crosses over in a `saveconfig.json`, and what does not."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_serializer

from lunette.domain.base import Model

MAX_OBJECTS = 16384


class Saveconfig(Model):
    """All that LIO serves for us as `targetctl restore` and targetcli read it (rtslib-fb 2.1 and later)."""

    document: dict[str, Any]
    has_secrets: bool
    """False where hosts have CHAP and their secrets are left out: they cannot log in to what is restored."""
    left_out: tuple[str, ...]
    """What the document does not hold, each in words with what to do about it."""


class _Saved(BaseModel):
    """As rtslib dumps it; what it says beyond what is judged here is passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore")


Attributes = dict[str, int | str | None]


class SavedAluaGroup(_Saved):
    name: str
    alua_access_state: int | None = 0
    """0 is active/optimized, and all a host of ours ever sees."""


class SavedStore(_Saved):
    """A backstore."""

    name: str
    plugin: str
    dev: str | None = None
    wwn: str | None = None
    """The unit serial, of which LIO makes the NAA."""
    readonly: bool | None = False
    exclusive: bool | None = True
    attributes: Attributes = {}
    alua_tpgs: tuple[SavedAluaGroup, ...] = ()

    @property
    def reference(self) -> str:
        """How LUNs name it, which is its path in targetcli."""
        return f"/backstores/{self.plugin}/{self.name}"


class SavedLun(_Saved):
    index: int
    storage_object: str
    alua_tg_pt_gp_name: str | None = None


class SavedPortal(_Saved):
    ip_address: str
    port: int
    iser: bool | None = False
    offload: bool | None = False


class SavedMappedLun(_Saved):
    """`index` is the number the host sees, `tpg_lun` that of the portal group."""

    index: int
    tpg_lun: int
    write_protect: bool | None = False


class SavedAcl(_Saved):
    node_wwn: str
    attributes: Attributes = {}
    mapped_luns: tuple[SavedMappedLun, ...] = ()
    chap_userid: str | None = None
    chap_password: SecretStr | None = None
    chap_mutual_userid: str | None = None
    chap_mutual_password: SecretStr | None = None

    @field_serializer("chap_password", "chap_mutual_password", when_used="json")
    def _reveal(self, value: SecretStr | None) -> str | None:
        """As the agent tells them; nothing the API answers holds this."""
        return value.get_secret_value() if value else None


class SavedGroup(_Saved):
    """A target portal group."""

    tag: int = 1
    enable: bool | None = True
    attributes: Attributes = {}
    luns: tuple[SavedLun, ...] = ()
    portals: tuple[SavedPortal, ...] = ()
    node_acls: tuple[SavedAcl, ...] = ()


class SavedTarget(_Saved):
    wwn: str
    fabric: str
    tpgs: tuple[SavedGroup, ...] = ()


class SavedFabric(_Saved):
    name: str
    discovery_enable_auth: bool | None = False


class SavedConfig(_Saved):
    """A `saveconfig.json` as targetcli and targetctl write it."""

    storage_objects: Annotated[tuple[SavedStore, ...], Field(max_length=MAX_OBJECTS)] = ()
    targets: Annotated[tuple[SavedTarget, ...], Field(max_length=MAX_OBJECTS)] = ()
    fabric_modules: tuple[SavedFabric, ...] = ()


class InspectRequest(Model):
    """A targetcli configuration to be read. Nothing of it is kept."""

    saveconfig: SavedConfig


class Finding(Model):
    """One object of the configuration: what it would be in Lunette, or why it does not fit and what to do about it."""

    path: str
    """As targetcli calls it."""
    fits: bool
    """Whether Lunette can serve it so that hosts see no difference."""
    words: str


class Inspection(Model):
    """Every object of a configuration with its verdict, in the order of the file."""

    fits: int
    refused: int
    findings: tuple[Finding, ...]
