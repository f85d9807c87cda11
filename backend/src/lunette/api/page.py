"""Serves the built web page: files with a hash in their name for ever, everything else fresh."""

from pathlib import Path

from fastapi import FastAPI, Request
from starlette.responses import FileResponse, Response

from lunette.api.middleware import PAGE_SECURITY_POLICY
from lunette.api.problems import answer
from lunette.domain.errors import NotFound

_HASHED = "public, max-age=31536000, immutable"
_FRESH = "no-cache"
_POLICY = {"Content-Security-Policy": PAGE_SECURITY_POLICY}


def install(app: FastAPI, folder: Path) -> None:
    """Answers every path outside /api: the file, or the page itself for a path the page's own router knows."""
    files = {f"/{path.relative_to(folder).as_posix()}": path for path in folder.rglob("*") if path.is_file()}
    index = folder / "index.html"

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request, path: str) -> Response:  # noqa: ARG001 FastAPI hands it over
        asked = request.url.path
        if asked == "/api" or asked.startswith("/api/"):
            return answer(request, NotFound(f"There is nothing at {asked}; see GET /api/v1/openapi.json."))
        found = files.get(asked)
        if found and found != index:
            cache = _HASHED if asked.startswith("/assets/") else _FRESH
            return FileResponse(found, headers={"Cache-Control": cache, **_POLICY})
        if "." in asked.rsplit("/", 1)[-1] and asked != "/index.html":
            return answer(request, NotFound(f"There is no file {asked}."))
        return FileResponse(index, headers={"Cache-Control": _FRESH, **_POLICY})
