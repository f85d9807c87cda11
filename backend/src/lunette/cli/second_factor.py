"""`lunette second-factor`, and logging in where a code is asked for beside the password."""

from typing import TYPE_CHECKING

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.spec import Command, JsonObject, Param

if TYPE_CHECKING:
    from lunette.client import Client
    from lunette.client.generated.types import FactorProof, RecoveryCodes

USER = Param("--user", "User name.", default="admin", metavar="NAME")
PASSWORD = Param("--password-file", "File with the password; asked for if not given.", file=True)
CODE = Param(
    "--code-file", "File with a code of the second factor; asked for if it is needed and not given.", file=True
)
NEW_CODE = Param("--new-code-file", "File with a code of the new secret; asked for if not given.", file=True)
NEXT_CODE = Param("--next-code-file", "File with another code, where there is a second factor already.", file=True)
_QUESTION = "Code of the authenticator app, or a recovery code"


def log_in(call: Call, client: "Client", password: str) -> JsonObject:
    """Opens a session of --user; asks for a code where one is needed. Returns who is logged in."""
    from lunette.client import Refused

    try:
        return client.login(call["user"], password)
    except Refused as error:
        if error.kind != "code-required":
            raise
    return client.login(call["user"], password, call.secret("code_file", _QUESTION))


def set_up_where_needed(call: Call, client: "Client", me: JsonObject, password: str) -> None:
    """Where the appliance asks for a second factor that the user has not, nothing else is possible before."""
    if me["second_factor_required"]:
        call.screen.note("This appliance asks for a second factor, which must be set up now.")
        _set_up(call, client, {"current_password": password})


def _set_up(call: Call, client: "Client", proof: "FactorProof") -> None:
    offer = client.second_factor_start(proof)
    call.screen.note(f"Secret for the authenticator app: {offer['secret']}")
    call.screen.note(f"The same as an address, to be shown as a QR code: {offer['address']}")
    code = call.secret("new_code_file", "Code that the app shows now") or ""
    _print(call, client.second_factor_confirm({"code": code}))


def _print(call: Call, answer: "RecoveryCodes") -> None:
    call.screen.note("Recovery codes, each good for one login without the app. They are not shown again:")

    def lines(found: "RecoveryCodes") -> None:
        for code in found["recovery_codes"]:
            call.screen.line(code)

    call.show(answer, lines)


def _session(call: Call) -> tuple["Client", str, JsonObject]:
    """A client in a session of its own, for a second factor is never changed with a token; the password; who it is."""
    from lunette.client import Client, Endpoint, find_endpoint

    endpoint = find_endpoint(call["appliance"], call.env)
    if endpoint.is_local:
        raise Wrong("root needs none; `lunette user set NAME --remove-second-factor` removes another's")
    password = call.secret("password_file", f"Password of {call['user']}") or ""
    client = Client(Endpoint(endpoint.url, fingerprint=endpoint.fingerprint))
    return client, password, log_in(call, client, password)


def proof(call: Call, password: str, me: JsonObject) -> "FactorProof":
    """The code of the login is used up: another one is asked for."""
    shown: FactorProof = {"current_password": password}
    if me["has_second_factor"]:
        shown["code"] = call.secret("next_code_file", "Another code, the next of the app or a recovery code")
    return shown


def set_up(call: Call) -> None:
    """Replaces the one there is, which holds until the new one is confirmed."""
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
    call.screen.note("Logins ask for the password alone from now on.")


_SESSION = (USER, PASSWORD, CODE, NEXT_CODE)
COMMANDS = {
    "second-factor": (
        Command(
            "set-up",
            "Sets up an authenticator app for your logins, or another one in its place.",
            ("second_factor_start", "second_factor_confirm", "login_create", "login_delete"),
            (*_SESSION, NEW_CODE),
            set_up,
        ),
        Command(
            "renew-codes",
            "Makes new recovery codes; those before are good no more.",
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
