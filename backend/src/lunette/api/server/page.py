"""Serves the built web page: files with a hash in their name are cached forever, everything else is revalidated.

The build writes `app.js.gz` next to `app.js`; clients that accept gzip get that one. Each has its own ETag.
"""

from mimetypes import guess_type
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, Response

from lunette.api.problems.documents import answer
from lunette.api.server.compression import takes_gzip
from lunette.api.server.middleware import PAGE_SECURITY_POLICY
from lunette.domain.errors import NotFound

_HASHED = "public, max-age=31536000, immutable"
_FRESH = "no-cache"
_POLICY = {"Content-Security-Policy": PAGE_SECURITY_POLICY}


def install(app: FastAPI, folder: Path) -> None:
    """Answers every path outside /api: the file, or the page itself for a path of the page's router."""
    found = {f"/{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*") if path.is_file()}
    packed = {name.removesuffix(".gz"): path for name, path in found.items() if name.endswith(".gz")}
    # The packed file is never requested by its own name.
    files = {name: path for name, path in found.items() if not name.endswith(".gz")}

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request, path: str) -> Response:  # noqa: ARG001 FastAPI passes it
        asked = request.url.path
        if asked == "/api" or asked.startswith("/api/"):
            return answer(request, NotFound(f"{asked} does not exist; see GET /api/v1/openapi.json."))
        if asked not in files and "." in asked.rsplit("/", 1)[-1] and asked != "/index.html":
            return answer(request, NotFound(f"File {asked} does not exist."))
        name = asked if asked in files else "/index.html"
        headers = {"Cache-Control": _HASHED if name.startswith("/assets/") else _FRESH, **_POLICY}
        return _sent(request, files.get(name, folder / "index.html"), packed.get(name), headers)


def _sent(request: Request, plain: Path, packed: Path | None, headers: dict[str, str]) -> Response:
    if packed is None:
        return FileResponse(plain, headers=headers)
    headers = {**headers, "Vary": "Accept-Encoding"}
    if not takes_gzip(", ".join(request.headers.getlist("accept-encoding"))):
        return FileResponse(plain, headers=headers)
    media_type = guess_type(plain)[0] or "application/octet-stream"
    return FileResponse(packed, headers={**headers, "Content-Encoding": "gzip"}, media_type=media_type)
