"""The API's own description."""

from fastapi import Request, Response

from lunette.api.declare import router

routes = router("", "document")


@routes.get("/openapi.json", operation_id="document_show", include_in_schema=False)
def document_show(request: Request) -> Response:
    """This API's own description (OpenAPI 3.1)."""
    from lunette.api.document import render

    return Response(render(request.app.openapi()), media_type="application/json")
