"""`lunette second-factor`, and logging in with a code in addition to the password."""

from typing import TYPE_CHECKING

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.spec import Command, JsonObject, Param

if TYPE_CHECKING:
    from lunette.client import Client
    from lunette.client.generated.types import FactorProof, RecoveryCodes

USER = Param("--user", "User name.", default="admin", metavar="NAME")
PASSWORD = Param("--password-file", "File with the password; prompts if omitted.", file=True)
CODE = Param("--code-file", "File with a second-factor code; prompts if a code is needed.", file=True)
NEW_CODE = Param(
    "--new-code-file", "File with a code of the new authenticator app; prompts if a code is needed.", file=True
)
NEXT_CODE = Param(
    "--next-code-file", "File with another second-factor code, for the change itself; prompts if needed.", file=True
)
_QUESTION = "Code from the authenticator app, or a recovery code"


def log_in(call: Call, client: "Client", password: str) -> JsonObject:
    """Opens a session of --user; asks for a code if one is required. Returns the user."""
    from lunette.client import Refused

    try:
        return client.login(call["user"], password)
    except Refused as error:
        if error.kind != "code-required":
            raise
    return client.login(call["user"], password, call.secret("code_file", _QUESTION))


def set_up_where_needed(call: Call, client: "Client", me: JsonObject, password: str) -> None:
    """If the appliance requires a second factor, a user without one must set it up first."""
    if me["second_factor_required"]:
        call.screen.note("This appliance requires a second factor, which must be set up now.")
        _set_up(call, client, {"current_password": password})


def _set_up(call: Call, client: "Client", proof: "FactorProof") -> None:
    offer = client.second_factor_start(proof)
    call.screen.note(f"Secret for the authenticator app: {offer['secret']}")
    call.screen.note(f"The same secret as an address, for a QR code: {offer['address']}")
    code = call.secret("new_code_file", "Code that the app shows now") or ""
    _print(call, client.second_factor_confirm({"code": code}))


def _print(call: Call, answer: "RecoveryCodes") -> None:
    call.screen.note("Recovery codes, each valid for one login without the app. They are not shown again:")

    def lines(found: "RecoveryCodes") -> None:
        for code in found["recovery_codes"]:
            call.screen.line(code)

    call.show(answer, lines)


def _session(call: Call) -> tuple["Client", str, JsonObject]:
    """A client with its own session, because a second factor is never changed with a token; the password; the user."""
    from lunette.client import Client, Endpoint, find_endpoint

    endpoint = find_endpoint(call["appliance"], call.env)
    if endpoint.is_local:
        raise UsageError(
            "root needs no second factor here. For a user, use `lunette user set NAME --remove-second-factor`"
        )
    password = call.secret("password_file", f"Password of {call['user']}") or ""
    client = Client(Endpoint(endpoint.url, fingerprint=endpoint.fingerprint))
    return client, password, log_in(call, client, password)


def proof(call: Call, password: str, me: JsonObject) -> "FactorProof":
    """Each code is valid once, so this one differs from the code of the login."""
    shown: FactorProof = {"current_password": password}
    if me["has_second_factor"]:
        shown["code"] = call.secret("next_code_file", "Another code: the next one from the app, or a recovery code")
    return shown


def set_up(call: Call) -> None:
    """Replaces the present one, which is valid until the new one is confirmed."""
    client, password, me = _session(call)
    with client:
        _set_up(call, client, proof(call, password, me))
        client.login_delete()


def renew_codes(call: Call) -> None:
    client, password, me = _session(call)
    with client:
        _print(call, client.second_factor_renew_codes(proof(call, password, me)))
        client.login_delete()


def remove(call: Call) -> None:
    client, password, me = _session(call)
    with client:
        client.second_factor_remove(proof(call, password, me))
        client.login_delete()
    call.screen.note("The second factor was removed. Logins require only the password.")


_SESSION = (USER, PASSWORD, CODE, NEXT_CODE)
COMMANDS = {
    "second-factor": (
        Command(
            "set-up",
            "Sets up an authenticator app as your second factor, or replaces it.",
            ("second_factor_start", "second_factor_confirm", "login_create", "login_delete"),
            (*_SESSION, NEW_CODE),
            set_up,
        ),
        Command(
            "renew-codes",
            "Replaces your recovery codes. The previous codes become invalid.",
            ("second_factor_renew_codes", "login_create", "login_delete"),
            _SESSION,
            renew_codes,
        ),
        Command(
            "remove",
            "Removes your second factor.",
            ("second_factor_remove", "login_create", "login_delete"),
            _SESSION,
            remove,
        ),
    ),
}
