"""Command line of the image builder: progress on standard error, paths as JSON on standard output."""

import argparse
import json
from pathlib import Path

from .base import base_key, base_layer
from .bundle import bundle_layer
from .cache import Cache, remove_tree
from .firmware import firmware_key
from .iso import build_iso
from .problem import ImageProblem
from .progress import say
from .rootfs import Sources, build_rootfs
from .signing import signer
from .stable_uml import stable_key
from .update import COMPATIBLE, Spec, build_update
from .zfs import zfs_layer

IMAGE = Path(__file__).resolve().parent.parent
TREE = IMAGE.parent


def parser() -> argparse.ArgumentParser:
    """The options; README.md explains the layers."""
    made = argparse.ArgumentParser(prog="image/build", description="Build the appliance's root file system.")
    made.add_argument("what", nargs="?", choices=("rootfs", "iso", "update", "zfs", "bundle"), default="rootfs")
    made.add_argument("--backend", type=Path, default=TREE / "backend", help="folder with pyproject.toml and src")
    made.add_argument("--ui", type=Path, help="built web pages (default: frontend/dist if it exists)")
    made.add_argument("--uv", help="the uv program (default: LUNETTE_UV, else the one on the path)")
    made.add_argument("--without-product", action="store_true", help="a plain Debian guest, for initiators")
    made.add_argument("--bare", action="store_true", help="plain Debian without the product's settings either")
    made.add_argument("--cert", type=Path, help="certificate that signs an update (default: a development key)")
    made.add_argument("--key", type=Path, help="its key")
    made.add_argument(
        "--trust",
        type=Path,
        help="certificates, of CAs or signers, whose updates the appliance takes (default: --cert)",
    )
    made.add_argument("--crl", type=Path, help="lists of what these have revoked: one of each that --trust names")
    made.add_argument("--version", help="version of an update (default: that of the backend)")
    made.add_argument("--compatible", default=COMPATIBLE, help="product that an update is for; another one is a test's")
    made.add_argument("--overlay", type=Path, help="folder laid over the tree of an update, such as a test's faults")
    made.add_argument("--empty", action="store_true", help="an update without a system, for tests of what is refused")
    made.add_argument("--spdk", type=Path, help="folder with SPDK's installed files, for the ISO and its updates")
    made.add_argument("--without-firmware", action="store_true", help="an ISO or update of free software alone")
    made.add_argument("--refresh", action="store_true", help="fetch the Debian packages again")
    made.add_argument("--print", action="store_true", dest="show", help="print the manifest as JSON")
    return made


def main(arguments: list[str]) -> int:
    """Runs; returns the exit status. A problem is one message on standard error and status 1."""
    options = parser().parse_args(arguments)
    try:
        build(options)
    except ImageProblem as problem:
        say(f"refused or failed: {problem}")
        return 1
    return 0


def build(options: argparse.Namespace) -> None:
    """Does what the options request."""
    cache = Cache()
    if options.refresh:
        for name, key in (("base", base_key(IMAGE)), ("firmware", firmware_key(IMAGE)), ("stable", stable_key())):
            with cache.lock(name):
                layer = cache.path(name, key)
                if layer.is_dir():
                    remove_tree(layer)
    if options.what == "zfs":
        say(f"zfs: {zfs_layer(cache, base_layer(cache, IMAGE))}")
        return
    if options.what == "bundle":
        folder = bundle_layer(cache, sources(options))
        say(f"bundle: {folder}")
        if options.show:
            print(json.dumps({"bundle": str(folder)}))
        return
    made = sources(options)
    if options.what == "rootfs":
        manifest = build_rootfs(cache, made)
    else:
        trusted = signer(cache, options.cert, options.key, options.trust, options.crl)
        if options.what == "iso":
            manifest = build_iso(cache, made, trusted)
        else:
            spec = Spec(options.version, options.compatible, options.overlay, options.empty)
            manifest = build_update(cache, made, trusted, spec)
    say(f"{options.what}: {manifest[options.what]}")
    if options.show:
        print(json.dumps(manifest, indent=2))


def sources(options: argparse.Namespace) -> Sources:
    """The inputs named by the options; a requested page folder must exist."""
    ui = options.ui or TREE / "frontend/dist"
    if not (ui / "index.html").is_file():
        if options.ui:
            raise ImageProblem(f"{ui} has no index.html: build the web pages first or omit --ui")
        say("frontend/dist is not built: the image will have no web pages")
        ui = None
    backend = None if options.without_product or options.bare else options.backend.resolve()
    spdk = options.spdk.resolve() if options.spdk else None
    if spdk and options.what not in ("iso", "update"):
        raise ImageProblem("--spdk is for the ISO and its updates: omit it, or name `iso` or `update`")
    return Sources(
        IMAGE, backend, ui.resolve() if ui else None, options.uv, options.bare, spdk, not options.without_firmware
    )
