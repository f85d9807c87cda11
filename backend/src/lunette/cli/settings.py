"""Which appliance the command talks to: environment first, then what `lunette login` remembered."""

import os
from pathlib import Path

from lunette.cli.client import Endpoint


def settings_file() -> Path:
    """$XDG_CONFIG_HOME/lunette/appliance.json, readable by its owner only since it holds a token."""
    home = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(home) / "lunette" / "appliance.json"


def load_endpoint() -> Endpoint | None:
    """The appliance to use; None if neither LUNETTE_URL is set nor a login was remembered."""
    if url := os.environ.get("LUNETTE_URL"):
        return Endpoint(
            url=url, token=os.environ.get("LUNETTE_TOKEN"), fingerprint=os.environ.get("LUNETTE_FINGERPRINT")
        )
    path = settings_file()
    return Endpoint.model_validate_json(path.read_text()) if path.exists() else None


def remember(endpoint: Endpoint) -> Path:
    """Writes the login for later commands."""
    path = settings_file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(endpoint.model_dump_json(indent=2) + "\n")
    return path
