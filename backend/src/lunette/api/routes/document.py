"""The OpenAPI document of the API."""

from fastapi import Request, Response

from lunette.api.openapi.describe import render
from lunette.api.openapi.responses import router

routes = router("", "document")


@routes.get("/openapi.json", operation_id="document_show", include_in_schema=False)
def document_show(request: Request) -> Response:
    """Returns the OpenAPI 3.1 document of the API."""
    return Response(render(request.app.openapi()), media_type="application/json")
