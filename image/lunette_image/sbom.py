"""The bill of materials of an ISO, as SPDX 2.3: Debian's packages, Python's, and those of the web pages."""

import datetime as dt
import json
import re
import uuid
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import Any
from urllib.parse import quote

from . import firmware, spdk
from .apt import SUITE
from .rootfs import Layers, Sources
from .venv import SITE

NOTHING_SAID = "NOASSERTION"


def document(root: Path, sources: Sources, layers: Layers, name: str, epoch_s: int) -> str:
    """The document about a composed tree; its name space is derived from its content."""
    parts = [*debian_packages((root / "var/lib/dpkg/status").read_text()), *python_packages(root / SITE)]
    if sources.ui is not None and sources.backend is not None:
        parts += npm_packages(sources.backend.parent / "frontend/package-lock.json")
    if layers.zfs is not None:
        parts.append(_package("linux-module", "openzfs", layers.zfs.name, "", licence="CDDL-1.0"))
    if layers.firmware is not None:
        parts += debian_packages((layers.firmware / firmware.RECORDS).read_text())
    if sources.spdk is not None:
        parts.append(_package("staged", "spdk", spdk.version(sources.spdk), "", licence="BSD-3-Clause"))
    unique = {part["SPDXID"]: part for part in parts}
    parts = [unique[key] for key in sorted(unique)]
    of_itself = {**_package("product", "lunette", name, "", licence="Apache-2.0"), "SPDXID": "SPDXRef-lunette"}
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-lunette")]
    relations += [("SPDXRef-lunette", "CONTAINS", part["SPDXID"]) for part in parts]
    content = json.dumps([name, parts], sort_keys=True)
    made = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "creationInfo": {
            "created": dt.datetime.fromtimestamp(epoch_s, dt.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: lunette-image"],
        },
        "packages": [of_itself, *parts],
        "relationships": [
            {"spdxElementId": of, "relationshipType": kind, "relatedSpdxElement": to} for of, kind, to in relations
        ],
    }
    return json.dumps(made, indent=1) + "\n"


def debian_packages(status: str) -> Iterator[dict[str, Any]]:
    """Packages installed by dpkg; licenses are in each package's own copyright file, which the image retains."""
    for block in status.split("\n\n"):
        fields = HeaderParser().parsestr(block.strip())
        if fields["Status"] != "install ok installed":
            continue
        name, version, kind = (str(fields[key]) for key in ("Package", "Version", "Architecture"))
        url = f"pkg:deb/debian/{quote(name)}@{quote(version)}?arch={kind}&distro={SUITE}"
        yield _package("deb", name, version, url, supplier=f"Organization: {fields['Maintainer']}")


def python_packages(site: Path) -> Iterator[dict[str, Any]]:
    """Packages in a site-packages directory, without the product itself."""
    for metadata in sorted(site.glob("*.dist-info/METADATA")):
        fields = HeaderParser().parsestr(metadata.read_text())
        name, version = str(fields["Name"]), str(fields["Version"])
        if name != "lunette":
            licence = fields["License-Expression"] or NOTHING_SAID
            yield _package("pypi", name, version, f"pkg:pypi/{name.lower()}@{version}", licence=licence)


def npm_packages(lock: Path) -> Iterator[dict[str, Any]]:
    """Packages that package-lock.json installs for the web pages, without those that only build and test them."""
    for place, entry in sorted(json.loads(lock.read_text())["packages"].items()):
        if place and not entry.get("dev") and not entry.get("optional"):
            name, version = place.rpartition("node_modules/")[2], entry["version"]
            url = f"pkg:npm/{quote(name)}@{version}"
            yield _package("npm", name, version, url, licence=entry.get("license") or NOTHING_SAID)


def _package(
    kind: str, name: str, version: str, url: str, *, supplier: str = NOTHING_SAID, licence: str = NOTHING_SAID
) -> dict[str, Any]:
    made: dict[str, Any] = {
        "SPDXID": f"SPDXRef-{kind}-" + re.sub(r"[^A-Za-z0-9.-]", "-", f"{name}-{version}"),
        "name": name,
        "versionInfo": version,
        "supplier": supplier,
        "downloadLocation": NOTHING_SAID,
        "filesAnalyzed": False,
        "licenseConcluded": NOTHING_SAID,
        "licenseDeclared": licence,
        "copyrightText": NOTHING_SAID,
    }
    if url:
        reference = {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": url}
        made["externalRefs"] = [reference]
    return made
