"""`lunette user` and `lunette token`."""

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import ROLE

_PASSWORD = Param("--password-file", "File with the password; prompts if omitted.", field="password", file=True)
_ROLE = Param("--role", "Role of the user.", words=ROLE)


def create_user(call: Call) -> None:
    body: JsonObject = {"username": call["username"], "password": call.secret("password_file", "Password", twice=True)}
    send(call, {**body, "role": call["role"]})


def set_user(call: Call) -> None:
    body: JsonObject = {} if call["role"] is None else {"role": call["role"]}
    if call["password"] or call["password_file"]:
        body["password"] = call.secret("password_file", f"New password of {call['user']}", twice=True)
        body["keep_tokens"] = call["keep_tokens"]
    if call["remove_second_factor"]:
        body["remove_second_factor"] = True
    if not body:
        raise UsageError(
            "Nothing to change: specify --role, --password or --remove-second-factor", "lunette user set --help"
        )
    send(call, body)


def create_token(call: Call) -> None:
    send(call, body_of(call))


COMMANDS = {
    "user": (
        *standard("user", ("username", "role", "password_change_required", "has_second_factor", "created_at")),
        Command(
            "create",
            operations=("user_create",),
            params=(Param("username"), _ROLE._replace(default="viewer"), _PASSWORD),
            run=create_user,
            more="The user must change the password at the first login.",
        ),
        Command(
            "set",
            operations=("user_patch",),
            params=(
                Param("user", "Name or ID of the user.", noun="user"),
                _ROLE,
                Param("--password", "Prompt for a new password.", flag=True),
                _PASSWORD._replace(help="File with the new password, instead of a prompt."),
                Param(
                    "--keep-tokens",
                    "Leave the user's API tokens valid; otherwise, a new password deletes them.",
                    flag=True,
                ),
                Param(
                    "--remove-second-factor",
                    "Remove the second factor of a user who has lost the app and the recovery codes.",
                    flag=True,
                ),
            ),
            run=set_user,
            more="A new role or password ends the user's logins. A new password must be changed at the next login.",
        ),
        Command(
            "logins",
            operations=("login_list",),
            columns=("id", "username", "role", "address", "created_at", "expires_at"),
        ),
        Command(
            "end-login",
            operations=("login_end",),
            params=(Param("login", "ID of the login, as `lunette user logins` shows it."),),
            more="The browser must log in again.",
        ),
    ),
    "token": (
        *standard("token", ("name", "username", "role", "expires_at", "last_used_at")),
        Command(
            "create",
            "Creates an API token and prints it once.",
            ("token_create",),
            (
                Param("name"),
                _ROLE._replace(help="Role of the token, at most your own; by default, your own."),
                Param("--expires-days", "Days until the token expires; by default, never.", number=True),
            ),
            create_token,
        ),
    ),
}
