"""Writes backend/openapi.json, the only input of every client: `python -m lunette.api.document [--check]`."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[3] / "openapi.json"


def render(document: dict[str, Any]) -> str:
    """The document as text, the same for the same source."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    """Writes the document, or with --check tells whether the committed one is stale."""
    from lunette.api.app import make_app

    parser = argparse.ArgumentParser(prog="python -m lunette.api.document", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if the file is stale")
    parser.add_argument("--output", type=Path, default=PATH)
    options = parser.parse_args()
    text = render(make_app(None).openapi())
    if not options.check:
        options.output.write_text(text)
        return 0
    if options.output.is_file() and options.output.read_text() == text:
        return 0
    sys.stderr.write(f"{options.output} is stale: the API's models changed. Run `make generate` and commit it.\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
