"""The difference of two sites: which changes, in which order, and what is refused with its reason."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from backend.tests.agent.exports import dhchap_key
from backend.tests.exploring import explored, fixed
from backend.tests.planner.sites import facts, sites
from lunette.api.auth.roles import ROLES
from lunette.domain.arrays import ArrayCreate
from lunette.domain.errors import Conflict, Invalid, LunetteError
from lunette.domain.hosts import HostCreate, HostGroupPatch, HostPatch
from lunette.domain.site import Site, SiteNoun, SiteRequest
from lunette.domain.volumes import VolumeGrow
from lunette.planner.site.changes import CREATES, PATCHES, SiteChange, Verb
from lunette.planner.site.difference import REPLACEABLE, KnownSite, difference

ARRAY = {"name": "tank", "level": "raid1", "disks": ["nvme-D1", "nvme-D2"]}
VOLUME = {"name": "v", "array": "tank", "size_bytes": "64MiB"}
HOST = {"name": "h", "os_type": "linux", "iqns": ["iqn.2026-01.com.example:h"], "description": ""}
GROUP = {"name": "g", "hosts": ["h"], "description": ""}
PORTAL = {"name": "p", "protocol": "iscsi", "address": "10.0.2.15", "port": 3260}
MAPPING = {"volume": "v", "host": "h", "lun": 1, "shared": False}
FULL = {"arrays": [ARRAY], "volumes": [VOLUME], "hosts": [HOST], "portals": [PORTAL], "mappings": [MAPPING]}
EMPTY: dict[str, Any] = dict.fromkeys(("arrays", "volumes", "hosts", "host_groups", "portals", "mappings"), ())


def site(**sections: Any) -> Site:
    return Site.model_validate(sections)


def changes(wanted: Site, there: Site, *destroy: str, scope: tuple[str, ...] = ()) -> tuple[SiteChange, ...]:
    return difference(SiteRequest(site=wanted, destroy=destroy, scope=scope), KnownSite(there)).changes


def shown(found: tuple[SiteChange, ...]) -> list[str]:
    return [f"{change.verb} {' '.join(change.keys)}" for change in found]


def refused(
    error: type[LunetteError], wanted: Site, there: Site, *destroy: str, busy: dict[str, str] | None = None
) -> list[tuple[str, str]]:
    with pytest.raises(error, match="nothing was changed") as refusal:
        difference(SiteRequest(site=wanted, destroy=destroy), KnownSite(there, busy or {}))
    return [(problem.field, problem.message) for problem in refusal.value.errors]


def test_a_whole_site_is_made_from_the_disks_up() -> None:
    assert shown(changes(site(**FULL, host_groups=[{"name": "g"}]), site(**EMPTY))) == [
        "create array/tank",
        "create volume/v",
        "create host/h",
        "create host-group/g",
        "create portal/p",
        "create mapping/v/host/h",
    ]


def test_and_taken_away_from_the_mappings_down_if_all_of_it_is_named() -> None:
    there = site(**FULL, host_groups=[GROUP])
    named = ("array/tank", "volume/v", "host/h", "host-group/g", "portal/p", "mapping/v/host/h")
    assert shown(changes(site(**EMPTY), there, *named)) == [
        "delete mapping/v/host/h",
        "delete volume/v",
        "delete array/tank",
        "delete host-group/g",
        "delete host/h",
        "delete portal/p",
    ]


def test_what_is_not_in_the_document_stays_and_is_reported() -> None:
    found = difference(SiteRequest(site=site(**EMPTY)), KnownSite(site(**FULL)))
    assert found.changes == ()
    assert "5 are not in the document and are not changed: array/tank, volume/v" in found.notes[0]


def test_an_omitted_section_is_not_compared() -> None:
    assert difference(SiteRequest(site=site()), KnownSite(site(**FULL))).notes == ()


def test_what_is_named_to_go_and_not_there_is_reported_and_does_no_harm() -> None:
    found = difference(SiteRequest(site=site(**FULL), destroy=("volume/w", "volume/v")), KnownSite(site(**FULL)))
    assert found.changes == ()
    assert found.notes == ("Listed in destroy, but not found: volume/w, volume/v.",)


def test_a_lun_number_changes_only_if_the_mapping_may_go() -> None:
    wanted = site(mappings=[{**MAPPING, "lun": 2}])
    field, message = refused(Conflict, wanted, site(**FULL))[0]
    assert field == "mappings[0].lun"
    assert "list mapping/v/host/h in destroy" in message
    assert shown(changes(wanted, site(**FULL), "mapping/v/host/h")) == [
        "delete mapping/v/host/h",
        "create mapping/v/host/h",
    ]


def test_a_replaced_portal_retains_what_the_document_omits() -> None:
    there = site(portals=[{**PORTAL, "port": 3270}])
    wanted = site(portals=[{"name": "p", "protocol": "iser", "address": "127.0.0.1"}])
    gone, made = changes(wanted, there, "portal/p")
    assert (gone.verb, made.verb) == (Verb.DELETE, Verb.CREATE)
    kept = {**PORTAL, "protocol": "iser", "address": "127.0.0.1", "port": 3270}
    assert made.specs[0].model_dump(mode="json", exclude_none=True) == kept


@pytest.mark.parametrize(
    "others",
    [
        {"a": ("127.0.0.1", 3261), "b": ("127.0.0.1", 3260)},  # they exchange their places
        {"a": ("127.0.0.1", 3299), "b": ("127.0.0.1", 3260)},
        {"a": ("127.0.0.1", 3299), "new": ("127.0.0.1", 3260)},
        {"a": ("127.0.0.1", 3299), "b": ("0.0.0.0", 3260)},
    ],
)
def test_a_portal_whose_place_another_one_gets_is_replaced(others: dict[str, tuple[str, int]]) -> None:
    def portals(places: dict[str, tuple[str, int]]) -> list[dict[str, Any]]:
        return [{"name": name, "address": address, "port": port} for name, (address, port) in places.items()]

    there = site(portals=portals({"a": ("127.0.0.1", 3260), "b": ("127.0.0.1", 3261)}))
    wanted = site(portals=portals({"b": ("127.0.0.1", 3261), **others}))
    with pytest.raises(Conflict, match=r"gets its place: list portal/a in destroy") as refused:
        changes(wanted, there, "portal/b")
    assert {error.field for error in refused.value.errors} == {"portals[1].port"}
    order = shown(changes(wanted, there, "portal/a", "portal/b"))
    opened = [order.index(step) for step in order if not step.startswith("delete ")]
    assert order.index("delete portal/a") < min(opened)
    assert "create portal/a" in order


def test_a_portal_with_another_address_is_moved_and_needs_no_destroy() -> None:
    there = site(portals=[{**PORTAL, "port": 3270}])
    (moved,) = changes(site(portals=[{"name": "p", "address": "127.0.0.1"}]), there)
    assert (moved.verb, moved.keys) == (Verb.PATCH, ("portal/p",))
    assert moved.specs[0].model_dump(exclude_unset=True) == {"address": "127.0.0.1"}


@pytest.mark.parametrize(
    ("section", "entry", "field"),
    [
        ("volumes", {**VOLUME, "size_bytes": "32MiB"}, "volumes[0].size_bytes"),
        ("volumes", {**VOLUME, "size_bytes": "128MiB", "array": "other"}, "volumes[0].array"),
        ("arrays", {**ARRAY, "level": "raid0"}, "arrays[0].level"),
        ("arrays", {**ARRAY, "disks": ["nvme-D1", "nvme-D3"]}, "arrays[0].disks"),
    ],
)
def test_what_holds_data_is_never_recreated_in_place(section: str, entry: dict[str, Any], field: str) -> None:
    named = ("volume/v", "array/tank", "mapping/v/host/h")
    ((where, message),) = refused(Conflict, site(**{section: [entry]}), site(**FULL), *named)
    assert where == field
    assert "delete" not in message


def test_a_larger_volume_grows_and_what_else_differs_changes_after_it() -> None:
    found = changes(site(volumes=[{**VOLUME, "size_bytes": "128MiB", "description": "x"}]), site(**FULL), "volume/v")
    assert shown(found) == ["grow volume/v", "patch volume/v"]
    assert found[0].specs == (VolumeGrow(size_bytes=128 * 1024**2),)
    assert found[0].places == ("volumes[0]",)


@pytest.mark.parametrize(
    ("entry", "verb"),
    [
        ({"disks": ["nvme-D1", "nvme-D3"]}, "lunette array replace tank"),
        ({"level": "raid0"}, "lunette array reshape tank"),
    ],
)
def test_a_refusal_of_an_array_names_what_changes_it(entry: dict[str, Any], verb: str) -> None:
    assert verb in refused(Conflict, site(arrays=[{**ARRAY, **entry}]), site(**FULL))[0][1]


def test_the_order_of_disks_means_nothing() -> None:
    assert changes(site(arrays=[{**ARRAY, "disks": ["nvme-D2", "nvme-D1"]}]), site(**FULL)) == ()


def test_the_present_set_of_spares_is_not_a_difference() -> None:
    """A spare replaces a lost disk automatically, and an existing array lists all its disks alike."""
    there = site(**{**FULL, "arrays": [{**ARRAY, "disks": ["nvme-D1", "nvme-D2", "nvme-D3"]}]})
    assert changes(site(arrays=[{**ARRAY, "spares": ["nvme-D3"]}]), there) == ()
    fields = refused(Conflict, site(arrays=[{**ARRAY, "spares": ["nvme-D4"]}]), there)
    assert [field for field, _ in fields] == ["arrays[0].disks", "arrays[0].spares"]


def test_a_host_moves_between_groups_by_leaving_first() -> None:
    there = site(host_groups=[{"name": "a", "hosts": ["x"]}, {"name": "b", "hosts": ["y"]}])
    wanted = site(host_groups=[{"name": "a", "hosts": ["y"]}, {"name": "b", "hosts": ["x"]}])
    found = changes(wanted, there)
    assert shown(found) == [f"patch host-group/{name}" for name in "abab"]
    assert [change.specs[0] for change in found] == [
        HostGroupPatch(hosts=()),
        HostGroupPatch(hosts=()),
        HostGroupPatch(hosts=("y",)),
        HostGroupPatch(hosts=("x",)),
    ]


def test_a_field_that_is_left_out_stays() -> None:
    there = site(hosts=[{**HOST, "description": "rack 3", "chap": {"user": "u", "secret": "secret-of-one"}}])
    assert changes(site(hosts=[{"name": "h"}]), there) == ()
    (change,) = changes(site(hosts=[{"name": "h", "os_type": "esxi"}]), there)
    assert change.specs[0].model_dump(exclude_unset=True) == {"os_type": "esxi"}


def test_chap_is_unchanged_without_its_secret_changed_with_it_and_removed_by_null() -> None:
    there = site(hosts=[{**HOST, "chap": {"user": "u", "secret": "secret-of-one"}}])

    def chap(wanted: Any) -> Any:
        found = changes(site(hosts=[{"name": "h", "chap": wanted}]), there)
        return [change.specs[0] for change in found]

    assert chap({"user": "u"}) == []
    assert chap({"user": "u", "secret": "secret-of-one"}) == []
    assert chap({"user": "w"}) == [HostPatch.model_validate({"chap": {"user": "w", "secret": "secret-of-one"}})]
    assert chap({"user": "u", "secret": "secret-of-two"})[0].chap.secret.get_secret_value() == "secret-of-two"
    assert chap(None) == [HostPatch(chap=None)]
    assert chap(None)[0].model_fields_set == {"chap"}


def test_dhchap_is_unchanged_without_its_keys_changed_with_them_and_removed_by_null() -> None:
    one, two, three = map(dhchap_key, (1, 2, 3))
    held = {"secret": one, "is_mutual": True, "mutual_secret": two, "hash": "sha512", "dh_group": "ffdhe4096"}
    there = site(hosts=[{**HOST, "dhchap": held}])

    def dhchap(wanted: Any) -> Any:
        found = changes(site(hosts=[{"name": "h", "dhchap": wanted}]), there)
        return [change.specs[0] for change in found]

    def patched(**changed: Any) -> list[HostPatch]:
        whole = {name: value for name, value in held.items() if name != "is_mutual"} | changed
        return [HostPatch.model_validate({"dhchap": whole})]

    assert dhchap({}) == []
    assert dhchap(held) == []
    assert dhchap({"is_mutual": True, "hash": "sha512", "dh_group": "ffdhe4096"}) == [], "as it is exported"
    assert dhchap({"secret": one}) == []
    assert dhchap({"secret": three}) == patched(secret=three)
    assert dhchap({"hash": "sha256"}) == patched(hash="sha256")
    assert dhchap({"mutual_secret": three}) == patched(mutual_secret=three)
    assert dhchap({"mutual_secret": None}) == dhchap({"is_mutual": False}) == patched(mutual_secret=None)
    assert dhchap(None)[0].model_dump(exclude_unset=True) == {"dhchap": None}


def test_dhchap_of_a_new_host_needs_its_keys() -> None:
    def field(**dhchap: Any) -> str:
        return refused(Invalid, site(hosts=[{"name": "n", "dhchap": dhchap}]), site(**EMPTY))[0][0]

    assert field(is_mutual=False, hash="sha256") == "hosts[0].dhchap.secret"
    assert field(secret=dhchap_key(1), is_mutual=True) == "hosts[0].dhchap.mutual_secret"
    assert field(secret=dhchap_key(1), mutual_secret=dhchap_key(1)) == "hosts[0].dhchap"
    (made,) = changes(site(hosts=[{"name": "n", "dhchap": {"secret": dhchap_key(1)}}]), site(**EMPTY))
    assert made.specs[0] == HostCreate.model_validate({"name": "n", "dhchap": {"secret": dhchap_key(1)}})


def test_lost_keys_are_required_if_the_document_changes_something_of_them() -> None:
    there = site(hosts=[{**HOST, "dhchap": {"is_mutual": False, "hash": "sha256"}}])
    assert changes(site(hosts=[{"name": "h", "dhchap": {"is_mutual": False, "hash": "sha256"}}]), there) == ()
    assert refused(Invalid, site(hosts=[{"name": "h", "dhchap": {"hash": "sha384"}}]), there)[0][0].endswith(".secret")
    (change,) = changes(site(hosts=[{"name": "h", "dhchap": {"secret": dhchap_key(1)}}]), there)
    assert change.specs[0] == HostPatch.model_validate({"dhchap": {"secret": dhchap_key(1)}})


def test_chap_of_a_new_host_needs_its_secret() -> None:
    field, message = refused(Invalid, site(hosts=[{"name": "n", "chap": {"user": "u"}}]), site(**EMPTY))[0]
    assert field == "hosts[0].chap.secret"
    assert "specify it in the document once" in message
    same = {"user": "u", "secret": "secret-of-one", "mutual_user": "m", "mutual_secret": "secret-of-one"}
    assert "must differ" in refused(Invalid, site(hosts=[{"name": "n", "chap": same}]), site(**EMPTY))[0][1]


def test_a_disk_is_wiped_only_if_it_is_named() -> None:
    (plain,) = changes(site(arrays=[ARRAY]), site(**EMPTY))
    (named,) = changes(site(arrays=[ARRAY]), site(**EMPTY), "disk/nvme-D2", "disk/nvme-D7")
    (spare,) = changes(site(arrays=[{**ARRAY, "spares": ["nvme-D7"]}]), site(**EMPTY), "disk/nvme-D7")
    specs = [plain.specs[0], named.specs[0], spare.specs[0]]
    assert [isinstance(w, ArrayCreate) and w.wipe for w in specs] == [(), ("nvme-D2",), ("nvme-D7",)]


@pytest.mark.parametrize("state", ["creating", "deleting"])
def test_what_is_made_or_deleted_is_waited_for(state: str) -> None:
    busy = {"volume/v": state}
    assert refused(Conflict, site(volumes=[VOLUME]), site(**FULL), busy=busy) == [
        ("volumes[0]", f"volume/v is {state} now; wait for its job to end, or resolve it if it is stuck, then repeat")
    ]


@pytest.mark.parametrize("state", ["changing", "stuck"])
def test_what_is_stuck_or_changing_blocks_only_what_changes_it(state: str) -> None:
    there = site(**FULL | {"volumes": [VOLUME, {**VOLUME, "name": "w"}]})
    busy = {"array/tank": state, "volume/v": state, "volume/w": state}
    wanted = site(**FULL | {"portals": [PORTAL, {**PORTAL, "name": "p2", "port": 3261}]})
    found = difference(SiteRequest(site=wanted), KnownSite(there, busy))
    assert shown(found.changes) == ["create portal/p2"]
    assert found.notes[0] == (
        "A job is changing array/tank, volume/v: the document does not change them. Resolve the job if it is stuck."
    )
    larger = site(volumes=[{**VOLUME, "size_bytes": "128MiB", "description": "larger"}])
    assert [field for field, _ in refused(Conflict, larger, there, busy=busy)] == ["volumes[0]"]
    assert refused(Conflict, wanted, there, "volume/w", busy=busy) == [
        ("destroy", f"volume/w is {state} now; wait for its job to end, or resolve it if it is stuck, then repeat")
    ]


def test_a_scope_is_a_thing_and_what_hangs_on_it() -> None:
    more = {"name": "h2", "iqns": ["iqn.2026-01.com.example:h2"]}
    wanted = site(
        arrays=[ARRAY],
        volumes=[VOLUME, {**VOLUME, "name": "w"}],
        hosts=[HOST, more],
        mappings=[MAPPING, {"volume": "w", "host": "h2"}],
        portals=[PORTAL],
    )

    def scoped(scope: str) -> list[str]:
        return shown(changes(wanted, site(**EMPTY), scope=(scope,)))

    assert scoped("host/h") == ["create volume/v", "create host/h", "create mapping/v/host/h"]
    assert scoped("volume/w") == ["create volume/w", "create mapping/w/host/h2"]
    assert scoped("array/tank") == ["create array/tank", "create volume/v volume/w"]
    assert scoped("portal/p") == ["create portal/p"]
    assert scoped("host/nobody") == []


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"volumes": [VOLUME, VOLUME]}, "volume/v appears 2 times in volumes"),
        ({"mappings": [MAPPING, {**MAPPING, "volume": "w"}]}, "LUN 1 of host/h is assigned to 2 mappings"),
        ({"mappings": [MAPPING, {"volume": "v", "host_group": "h"}]}, "set shared: true for each of them"),
        ({"arrays": [{**ARRAY, "wipe": ["nvme-D1"]}]}, "arrays.0.wipe"),
        ({"hosts": [{"name": "h", "dhchap": {"is_mutual": False, "mutual_secret": dhchap_key(1)}}]}, "omit one of"),
        ({"hots": []}, "Extra inputs are not permitted"),
        ({"format": 2}, "Input should be 1"),
    ],
)
def test_a_document_that_contradicts_itself_is_refused(sections: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        site(**sections)


@pytest.mark.parametrize(
    "name", ["lun03", "volume/", "volume/a/b", "mapping/v/h", "mapping/v/host", "disk/a b", "user/x"]
)
def test_what_may_go_is_named_in_full(name: str) -> None:
    with pytest.raises(ValidationError):
        SiteRequest(site=site(), destroy=(name,))


@fixed("a_site_and_itself", 20)
@given(there=sites())
def test_a_site_and_itself_differ_in_nothing(there: Site) -> None:
    assert changes(there, there, *facts(there)) == ()


@st.composite
def named(draw: st.DrawFn) -> tuple[Site, Site, set[str]]:
    """A site that is wanted, one that is there, and what of it may go."""
    wanted, there = draw(sites()), draw(sites())
    known = sorted(facts(there))
    return wanted, there, draw(st.sets(st.sampled_from(known))) if known else set()


def check_nothing_wanted_or_unnamed_is_deleted(wanted: Site, there: Site, may_go: set[str]) -> None:
    try:
        found = changes(wanted, there, *sorted(may_go))
    except Conflict:
        return
    gone = {key for change in found for key in change.keys if change.verb is Verb.DELETE}
    made = {key for change in found for key in change.keys if change.verb is Verb.CREATE}
    assert gone <= may_go
    assert {key for key in gone & facts(wanted).keys() if not key.startswith(REPLACEABLE)} == set()
    assert made == facts(wanted).keys() - (facts(there).keys() - gone)


@fixed("nothing_wanted_or_unnamed_is_deleted", 20)
@given(case=named())
def test_nothing_is_deleted_that_is_wanted_or_unnamed(case: tuple[Site, Site, set[str]]) -> None:
    check_nothing_wanted_or_unnamed_is_deleted(*case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@explored("nothing_wanted_or_unnamed_is_deleted", 2000)
@given(case=named())
def test_nothing_is_deleted_that_is_wanted_or_unnamed_in_very_many_sites(case: tuple[Site, Site, set[str]]) -> None:
    check_nothing_wanted_or_unnamed_is_deleted(*case)


def test_what_the_api_can_change_a_document_can_too() -> None:
    """A noun that gains a patch belongs into PATCHES, and what a patch changes into the spec of its noun."""
    patched = {noun for noun in SiteNoun if f"{noun.section.removesuffix('s')}_patch" in ROLES}
    assert patched == set(PATCHES)
    for noun, patch in PATCHES.items():
        spec = CREATES.get(noun, patch)  # settings are there from the beginning
        assert patch.model_fields.keys() <= spec.model_fields.keys()
