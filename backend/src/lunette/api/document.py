"""Writes what is generated from the API's models: `python -m lunette.api.document [--check]`.

backend/openapi.json is the only input of every client; docs/reference/site.schema.json is for editors of site
documents.
"""

import argparse
import sys
from pathlib import Path

from lunette.api.app import make_app
from lunette.api.openapi.describe import render
from lunette.domain.site import site_schema

PATH = Path(__file__).parents[3] / "openapi.json"
SITE_SCHEMA = Path(__file__).parents[4] / "docs/reference/site.schema.json"


def main() -> int:
    """Writes the documents, or with --check reports which committed one is stale."""
    parser = argparse.ArgumentParser(prog="python -m lunette.api.document", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a file is stale")
    options = parser.parse_args()
    texts = {PATH: render(make_app(None).openapi()), SITE_SCHEMA: render(site_schema())}
    if not options.check:
        for path, text in texts.items():
            path.write_text(text)
        return 0
    stale = [path for path, text in texts.items() if not path.is_file() or path.read_text() != text]
    for path in stale:
        sys.stderr.write(f"{path} is stale: the API's models changed. Run `make generate` and commit it.\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
