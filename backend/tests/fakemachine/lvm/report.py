"""pvs, vgs and lvs with --reportformat json_std --units b --nosuffix.

As 2.03.31 prints it: lists are lists, counts and flags are numbers (-1: not known), sizes are text.
"""

import json
from collections.abc import Callable

from backend.tests.fakemachine.block.media import Vg
from backend.tests.fakemachine.lvm.groups import Lvm, LvView, Pv
from backend.tests.fakemachine.md.manage import Answer

Value = str | int | float | list[str] | None


def report(lvm: Lvm, command: str, options: dict[str, list[str]], words: list[str]) -> Answer:
    """Exit code, stdout, stderr of a report command. A name that is not there: code 5, and the others are shown."""
    fields = [field.lstrip("+") for text in options.get("options", []) for field in text.split(",") if field]
    rows, missing = [], []
    match command:
        case "pvs":
            seen = lvm.pvs(options.get("devices"))
            rows = [_row(fields, _PV, (lvm, pv)) for pv in seen if not words or _pv_named(pv, words)]
        case "vgs":
            looked_at = lvm.vgs(options.get("devices"))
            rows = [
                row for vg, pv in looked_at if not words or vg.name in words for row in _vg_rows(lvm, fields, vg, pv)
            ]
            missing = [word for word in words if lvm.vg(word) is None]
        case _:
            named = [view for view in lvm.lvs(options.get("devices")) if not words or _lv_named(view, words)]
            rows = [_row(fields, _LV, (lvm, view)) for view in named]
            missing = [word for word in words if lvm.vg(word) is None and lvm.lv(word) is None]
    said = "".join(
        f'  Volume group "{word}" not found\n  Cannot process volume group {word}\n'
        if "/" not in word
        else f'  Failed to find logical volume "{word}"\n'
        for word in missing
    )
    answer = {"report": [{command.removesuffix("s"): rows}], "log": []}
    return (5 if missing else 0), json.dumps(answer), said


def _pv_named(pv: Pv, words: list[str]) -> bool:
    return any(word == f"/dev/{pv.device.kernel_name}" or word in pv.device.links for word in words)


def _lv_named(view: LvView, words: list[str]) -> bool:
    return any(word.removeprefix("/dev/") in (view.vg.name, f"{view.vg.name}/{view.lv.name}") for word in words)


def _row(fields: list[str], known: dict[str, Callable[..., Value]], item: tuple[object, ...]) -> dict[str, Value]:
    return {field: known[field](*item) for field in fields}


def _vg_rows(lvm: Lvm, fields: list[str], vg: Vg, pv: Pv) -> list[dict[str, Value]]:
    """One row, or one per volume as soon as a field of volumes is asked for."""
    own = [field for field in fields if field in _VG]
    first = _row(own, _VG, (lvm, vg, pv))
    others = [field for field in fields if field not in _VG]
    if not others:
        return [first]
    views = [LvView(vg, lv, pv) for lv in vg.lvs.values()]
    empty: dict[str, Value] = {field: [] if field.endswith("_tags") else "" for field in others}
    return [first | _row(others, _LV, (lvm, view)) for view in views] or [first | empty]


def _pv_path(pv: Pv) -> str:
    return f"/dev/{pv.device.kernel_name}"


def _free(vg: Vg) -> int:
    return len(vg.free_extents()) * vg.extent_bytes


def _lv_attr(lvm: Lvm, view: LvView) -> str:
    state = "a" if lvm.kernel_name(view) else "-"
    return f"-wi-{state}{'o' if lvm.is_open(view) else '-'}----"


def _minor(lvm: Lvm, view: LvView) -> int:
    name = lvm.kernel_name(view)
    return int(name.removeprefix("dm-")) if name else -1


CHUNK_BYTES = 64 * 1024


def _used_bytes(view: LvView) -> int | None:
    """What a thin volume holds, or all of a pool together: chunks that snapshots share count once."""
    if view.lv.segtype == "linear":
        return None
    held = [view.lv] if view.lv.pool else view.vg.in_pool(view.lv.name)
    return len({(at // CHUNK_BYTES, text) for lv in held for at, text in lv.content.items()}) * CHUNK_BYTES


def _percent(lvm: Lvm, view: LvView, used: int | None) -> Value:
    if used is None or lvm.kernel_name(view) is None:
        return None
    return round(used * 100 / view.size_bytes(), 2)


_PV: dict[str, Callable[..., Value]] = {
    "pv_name": lambda lvm, pv: _pv_path(pv),
    "pv_uuid": lambda lvm, pv: pv.label.uuid,
    "pv_fmt": lambda lvm, pv: "lvm2",
    "pv_attr": lambda lvm, pv: "a--" if pv.label.vg else "---",
    "pv_size": lambda lvm, pv: str(
        pv.label.vg.extent_count * pv.label.vg.extent_bytes if pv.label.vg else pv.media.size_bytes
    ),
    "pv_free": lambda lvm, pv: str(_free(pv.label.vg) if pv.label.vg else pv.media.size_bytes),
    "pv_missing": lambda lvm, pv: "",
    "pv_tags": lambda lvm, pv: [],
    "dev_size": lambda lvm, pv: str(pv.media.size_bytes),
    "vg_name": lambda lvm, pv: pv.label.vg.name if pv.label.vg else pv.label.raid.name if pv.label.raid else "",
    "vg_uuid": lambda lvm, pv: pv.label.vg.uuid if pv.label.vg else "",
    "vg_tags": lambda lvm, pv: sorted((pv.label.vg or pv.label.raid or Vg("", "", 1, 0)).tags),
}
_VG: dict[str, Callable[..., Value]] = {
    "vg_name": lambda lvm, vg, pv: vg.name,
    "vg_uuid": lambda lvm, vg, pv: vg.uuid,
    "vg_attr": lambda lvm, vg, pv: "wz--n-",
    "vg_size": lambda lvm, vg, pv: str(vg.extent_count * vg.extent_bytes),
    "vg_free": lambda lvm, vg, pv: str(_free(vg)),
    "vg_extent_size": lambda lvm, vg, pv: str(vg.extent_bytes),
    "vg_extent_count": lambda lvm, vg, pv: vg.extent_count,
    "vg_free_count": lambda lvm, vg, pv: len(vg.free_extents()),
    "vg_tags": lambda lvm, vg, pv: sorted(vg.tags),
    "vg_missing_pv_count": lambda lvm, vg, pv: 0,
    "vg_partial": lambda lvm, vg, pv: "",
    "vg_exported": lambda lvm, vg, pv: 0,
    "vg_systemid": lambda lvm, vg, pv: "",
    "vg_lock_type": lambda lvm, vg, pv: "",
    "pv_count": lambda lvm, vg, pv: 1,
    "lv_count": lambda lvm, vg, pv: len(vg.lvs),
    "pv_name": lambda lvm, vg, pv: _pv_path(pv),
    "pv_uuid": lambda lvm, vg, pv: pv.label.uuid,
}
_LV: dict[str, Callable[..., Value]] = {
    "lv_name": lambda lvm, view: view.lv.name,
    "lv_full_name": lambda lvm, view: f"{view.vg.name}/{view.lv.name}",
    "lv_uuid": lambda lvm, view: view.lv.uuid,
    "lv_path": lambda lvm, view: view.path(),
    "lv_dm_path": lambda lvm, view: (
        f"/dev/mapper/{'-'.join(p.replace('-', '--') for p in (view.vg.name, view.lv.name))}"
    ),
    "lv_size": lambda lvm, view: str(view.size_bytes()),
    "lv_tags": lambda lvm, view: sorted(view.lv.tags),
    "lv_attr": _lv_attr,
    "lv_active": lambda lvm, view: int(lvm.kernel_name(view) is not None),
    "lv_device_open": lambda lvm, view: int(lvm.is_open(view)) if lvm.kernel_name(view) else -1,
    "lv_kernel_major": lambda lvm, view: 253 if lvm.kernel_name(view) else -1,
    "lv_kernel_minor": _minor,
    "lv_role": lambda lvm, view: ["public"],
    "lv_layout": lambda lvm, view: {"linear": ["linear"], "thin": ["thin", "sparse"]}.get(
        view.lv.segtype, ["thin", "pool"]
    ),
    "vg_name": lambda lvm, view: view.vg.name,
    "vg_uuid": lambda lvm, view: view.vg.uuid,
    "vg_tags": lambda lvm, view: sorted(view.vg.tags),
    "devices": lambda lvm, view: f"{_pv_path(view.pv)}(0)",
    "pool_lv": lambda lvm, view: view.lv.pool or "",
    "data_percent": lambda lvm, view: _percent(lvm, view, _used_bytes(view)),
    "metadata_percent": lambda lvm, view: _percent(lvm, view, 0) if view.lv.metadata_extents else None,
    "lv_metadata_size": lambda lvm, view: (
        str(len(view.lv.metadata_extents) * view.vg.extent_bytes) if view.lv.metadata_extents else ""
    ),
}
