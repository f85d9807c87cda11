"""Which appliance is meant: what the caller names, then the environment, then the configuration, then this machine."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from lunette.client.client import Client
from lunette.client.endpoint import LOCAL, LOCAL_SOCKET, Endpoint
from lunette.client.errors import ConfigProblem

_NAME = re.compile(r"^[A-Za-z0-9][A-Za-z0-9_-]{0,62}$")
_FIELDS = ("url", "token", "fingerprint", "token_name")


def config_file(env: Mapping[str, str] = os.environ) -> Path:
    """$XDG_CONFIG_HOME/lunette/config.toml, readable by its owner only since it holds tokens."""
    home = env.get("XDG_CONFIG_HOME") or str(Path(env.get("HOME") or Path.home()) / ".config")
    return Path(home) / "lunette" / "config.toml"


def connect(appliance: str | None = None, *, timeout_s: float = 60.0) -> Client:
    """A client of the appliance that is meant. Raises ConfigProblem where none is."""
    return Client(find_endpoint(appliance), timeout_s)


def find_endpoint(appliance: str | None = None, env: Mapping[str, str] = os.environ) -> Endpoint:
    """The appliance to talk to. Raises ConfigProblem telling how to name one.

    In this order: `appliance` (a name of the configuration, a web address or unix:PATH), LUNETTE_URL with
    LUNETTE_TOKEN and LUNETTE_FINGERPRINT, LUNETTE_APPLIANCE, the configuration's default, and for root on an appliance
    its own socket.
    """
    named = appliance or (None if env.get("LUNETTE_URL") else env.get("LUNETTE_APPLIANCE"))
    if named:
        return _by_name(named, env)
    if url := env.get("LUNETTE_URL"):
        return _from_environment(url, env)
    default, known = read_config(config_file(env))
    if default is not None:
        return _of(default, known, config_file(env))
    if os.geteuid() == 0 and LOCAL_SOCKET.exists():
        return LOCAL
    raise ConfigProblem("no appliance is configured; run `lunette login https://ADDRESS:8443`, or set LUNETTE_URL")


def _by_name(named: str, env: Mapping[str, str]) -> Endpoint:
    path = config_file(env)
    if ":" not in named:
        return _of(named, read_config(path)[1], path)
    _, known = read_config(path) if path.exists() else (None, {})
    matching = [one for one in known.values() if one.url.rstrip("/") == named.rstrip("/")]
    if matching:
        return matching[0]
    # The environment's token is only sent to the environment's address.
    meant = not env.get("LUNETTE_URL") or env["LUNETTE_URL"].rstrip("/") == named.rstrip("/")
    return _from_environment(named, env) if meant else Endpoint(named.rstrip("/"))


def _from_environment(url: str, env: Mapping[str, str]) -> Endpoint:
    return Endpoint(url.rstrip("/"), env.get("LUNETTE_TOKEN"), env.get("LUNETTE_FINGERPRINT"))


def _of(name: str, known: Mapping[str, Endpoint], path: Path) -> Endpoint:
    if name not in known:
        names = ", ".join(sorted(known)) or "none"
        raise ConfigProblem(f"{path} contains no appliance {name!r}; it contains: {names}. `lunette login` adds one")
    return known[name]


def read_config(path: Path) -> tuple[str | None, dict[str, Endpoint]]:
    """The default's name and every appliance; empty if there is no file. Raises ConfigProblem."""
    import tomllib

    try:
        with path.open("rb") as file:
            _check_private(path, os.fstat(file.fileno()))
            document = tomllib.load(file)
    except FileNotFoundError:
        return None, {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigProblem(f"{path} cannot be read: {error}") from error
    sections = document.get("appliances", {})
    if not isinstance(sections, dict):
        raise ConfigProblem(f"{path}: [appliances.NAME] sections are expected")
    known = {name: _endpoint(path, name, section) for name, section in sections.items()}
    default = document.get("default")
    if default is not None and not isinstance(default, str):
        raise ConfigProblem(f"{path}: default must be the name of an appliance")
    return default, known


def _check_private(path: Path, found: os.stat_result) -> None:
    if found.st_uid not in {os.geteuid(), 0}:
        raise ConfigProblem(f"{path} belongs to another user, so its tokens are not trusted")
    if stat.S_IMODE(found.st_mode) & 0o077:
        mode = stat.S_IMODE(found.st_mode)
        raise ConfigProblem(
            f"{path} contains tokens and is accessible to other users (mode {mode:04o}): run `chmod 600 {path}`"
        )


def _endpoint(path: Path, name: str, section: object) -> Endpoint:
    if not isinstance(section, dict) or not isinstance(section.get("url"), str):
        raise ConfigProblem(f"{path}: [appliances.{name}] requires a url")
    unknown = sorted(set(section) - set(_FIELDS))
    if unknown or not all(isinstance(value, str) for value in section.values()):
        raise ConfigProblem(f"{path}: [appliances.{name}] can contain only {', '.join(_FIELDS)}, as text")
    return Endpoint(**{**section, "url": section["url"].rstrip("/")})


def remember(name: str, endpoint: Endpoint, path: Path, *, make_default: bool) -> None:
    """Adds or replaces one appliance in the configuration; becomes the default if asked or if there is none."""
    if not _NAME.match(name):
        raise ConfigProblem(f"{name!r} is not a valid name for an appliance: use at most 63 letters, digits, - and _")
    default, known = read_config(path)
    known[name] = endpoint
    _write(path, name if make_default or default is None else default, known)


def forget(name: str, path: Path) -> None:
    """Removes one appliance from the configuration."""
    default, known = read_config(path)
    known.pop(name, None)
    _write(path, default if default in known else next(iter(sorted(known)), None), known)


def _write(path: Path, default: str | None, known: Mapping[str, Endpoint]) -> None:
    lines = [f"default = {_quoted(default)}", ""] if default else []
    for name, endpoint in sorted(known.items()):
        lines.append(f"[appliances.{name}]")
        lines += [f"{key} = {_quoted(value)}" for key in _FIELDS if (value := getattr(endpoint, key)) is not None]
        lines.append("")
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("\n".join(lines))
    draft.rename(path)


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=True)
