"""Made from backend/openapi.json by `make generate`; do not edit."""
