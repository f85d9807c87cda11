"""`lunette login`, `logout`, `password` and `whoami`: logging in to appliances."""

import re
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lunette.cli.call import Call
from lunette.cli.commands.second_factor import (
    CODE,
    NEW_CODE,
    NEXT_CODE,
    PASSWORD,
    USER,
    log_in,
    proof,
    set_up_where_needed,
)
from lunette.cli.errors import UsageError
from lunette.cli.spec import Command, JsonObject, Param

if TYPE_CHECKING:
    from lunette.client import Client, Endpoint
    from lunette.client.generated.types import NewToken

_KEEP = Param("--keep-tokens", "Leave the user's API tokens valid; otherwise, they are deleted.", flag=True)
_NEW = Param("--new-password-file", "File with the new password; prompts if omitted.", file=True)


def login(call: Call) -> None:
    """Trusts the certificate only after it was compared, then exchanges the password for a token."""
    from lunette.client import Client, Endpoint, Untrusted, fetch_fingerprint
    from lunette.client.finding import config_file, remember

    url = _web_address(call["url"])
    shown = fetch_fingerprint(url)
    expected = call["fingerprint"]
    if expected is not None and expected.replace(":", "").lower() != shown:
        raise Untrusted(f"The certificate of {url} has another fingerprint ({shown}) than expected. Nothing was sent")
    if expected is None:
        call.screen.note(f"Certificate fingerprint (SHA-256): {shown}")
        call.confirm("Does the appliance's console show the same fingerprint?", f"--fingerprint {shown} if it does")
    password = call.secret("password_file", f"Password of {call['user']}") or ""
    with Client(Endpoint(url, fingerprint=shown)) as client:
        me = log_in(call, client, password)
        if me["password_change_required"]:
            call.screen.note("The one-time password must be changed now.")
            password = _change(call, client, me, password)
        set_up_where_needed(call, client, me, password)
        name = call["name"] or _short(url)
        made = _make_token(client)
        endpoint = Endpoint(url, made["token"], shown, made["name"])
        client.login_delete()
    path = config_file(call.env)
    remember(name, endpoint, path, make_default=True)
    call.screen.note(f"Logged in. The appliance is stored as {name} in {path}, with an API token.")


def _change(call: Call, client: "Client", me: JsonObject, current: str, *, keep_tokens: bool = False) -> str:
    new = call.secret("new_password_file", "New password", twice=True) or ""
    client.password_change({**proof(call, current, me), "new_password": new, "keep_tokens": keep_tokens})
    return new


def _web_address(text: str) -> str:
    url = (text if "://" in text else f"https://{text}").rstrip("/")
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname:
        raise UsageError(f"{text!r} is not a valid address: use https://ADDRESS:8443")
    return url if parts.port else f"{url}:8443"


def _short(url: str) -> str:
    """A name for the configuration: the part before the first dot, or the address with dashes."""
    host = urlsplit(url).hostname or "appliance"
    return re.sub(r"[^A-Za-z0-9]+", "-", host if re.fullmatch(r"[0-9.:a-f]+", host) else host.split(".")[0]).strip("-")


def _make_token(client: "Client") -> "NewToken":
    """An API token named after this machine; a number is added if that name is taken."""
    from lunette.client import Refused

    for number in range(1, 100):
        name = f"cli-{socket.gethostname()}"[:60] + (f"-{number}" if number > 1 else "")
        try:
            return client.token_create({"name": name})
        except Refused as error:
            if error.kind != "conflict":
                raise
    raise UsageError("This machine already has 99 API tokens: delete some with `lunette token delete NAME`")


def logout(call: Call) -> None:
    """Deletes the token on the appliance, then here; only here if the appliance does not answer."""
    from lunette.client import Client, ConfigProblem, Refused, Unreachable
    from lunette.client.finding import config_file, forget, read_config

    path = config_file(call.env)
    default, known = read_config(path)
    name = call["appliance"] or default
    if name is None or name not in known:
        raise ConfigProblem(f"{path} contains no appliance {name!r}. Nothing was changed")
    try:
        if (token := known[name].token_name) is not None:
            with Client(known[name], timeout_s=10.0) as client:
                client.token_delete(token)
    except (Unreachable, Refused) as error:
        call.screen.note(f"The API token was not deleted on the appliance: {error}", "yellow")
    forget(name, path)
    call.screen.note(f"Logged out. {name} was removed from {path}.")


def password(call: Call) -> None:
    """A password is changed in a session, never with a token, so the current password is required."""
    from lunette.client import Client, Endpoint, find_endpoint

    endpoint = find_endpoint(call["appliance"], call.env)
    if endpoint.is_local:
        raise UsageError(
            "root needs no password here. To set the password of a user, use `lunette user set NAME --password`"
        )
    current = call.secret("password_file", f"Current password of {call['user']}") or ""
    with Client(Endpoint(endpoint.url, fingerprint=endpoint.fingerprint)) as client:
        me = log_in(call, client, current)
        new = _change(call, client, me, current, keep_tokens=call["keep_tokens"])
        set_up_where_needed(call, client, me, new)
        _renew_token(call, endpoint, client)
    tokens = "API tokens remain valid" if call["keep_tokens"] else "API tokens were deleted"
    call.screen.note(f"The password was changed. All other logins of the user have ended, and the user's {tokens}.")


def _renew_token(call: Call, endpoint: "Endpoint", client: "Client") -> None:
    """Replaces the stored token if it ended with the old password."""
    from lunette.client import Client, Endpoint, Refused
    from lunette.client.finding import config_file, read_config, remember

    path = config_file(call.env)
    name = next((name for name, known in read_config(path)[1].items() if known == endpoint), None)
    if name is None or endpoint.token is None:
        return
    try:
        with Client(endpoint) as remembered:
            remembered.me_show()
    except Refused:
        made = _make_token(client)
        renewed = Endpoint(endpoint.url, made["token"], endpoint.fingerprint, made["name"])
        remember(name, renewed, path, make_default=False)


COMMANDS = {
    "login": (
        Command(
            "",
            "Logs in to an appliance, and stores its fingerprint and an API token for later commands.",
            (
                "login_create",
                "password_change",
                "second_factor_start",
                "second_factor_confirm",
                "token_create",
                "login_delete",
            ),
            (
                Param("url", "Address of the appliance, such as https://192.0.2.10:8443."),
                USER,
                Param(
                    "--name",
                    "Name of the appliance for --appliance; by default, derived from its address.",
                    metavar="NAME",
                ),
                Param(
                    "--fingerprint",
                    "SHA-256 of the certificate, as the console shows it; prompts if omitted.",
                    metavar="HEX",
                ),
                PASSWORD,
                _NEW,
                CODE,
                NEXT_CODE,
                NEW_CODE,
            ),
            login,
        ),
    ),
    "logout": (Command("", "Deletes the stored API token and forgets the appliance.", ("token_delete",), (), logout),),
    "password": (
        Command(
            "",
            "Changes your password.",
            ("password_change", "login_create", "second_factor_start", "second_factor_confirm", "token_create"),
            (USER, PASSWORD, _NEW, CODE, NEXT_CODE, NEW_CODE, _KEEP),
            password,
        ),
    ),
    "whoami": (Command("", operations=("me_show",)),),
}
