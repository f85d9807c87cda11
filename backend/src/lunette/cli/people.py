"""`lunette user` and `lunette token`."""

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import ROLE

_PASSWORD = Param("--password-file", "File with the password; asked for if not given.", file=True)
_ROLE = Param("--role", "What it may do.", words=ROLE)


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
        raise Wrong("nothing to set: give --role, --password or --remove-second-factor", "lunette user set --help")
    send(call, body)


def create_token(call: Call) -> None:
    send(call, body_of(call))


COMMANDS = {
    "user": (
        *standard("user", ("username", "role", "password_change_required", "has_second_factor", "created_at")),
        Command(
            "create",
            "Creates a user, who must change the password at the first login.",
            ("user_create",),
            (
                Param("username", "User name."),
                _ROLE._replace(default="viewer"),
                _PASSWORD,
            ),
            create_user,
        ),
        Command(
            "set",
            "Changes a user's role or sets a password that must be changed at the next login.",
            ("user_patch",),
            (
                Param("user", "User name or id.", noun="user"),
                _ROLE,
                Param("--password", "Ask for a new password.", flag=True),
                _PASSWORD,
                Param(
                    "--keep-tokens",
                    "Let the user's API tokens stay; they end with the old password otherwise.",
                    flag=True,
                ),
                Param(
                    "--remove-second-factor",
                    "Ask for the password alone: for who has lost app and recovery codes.",
                    flag=True,
                ),
            ),
            set_user,
        ),
        Command(
            "logins",
            "Lists the browsers in which users are logged in now.",
            ("login_list",),
            columns=("id", "username", "role", "address", "created_at", "expires_at"),
        ),
        Command(
            "end-login",
            "Ends a login; that browser has to log in again.",
            ("login_end",),
            (Param("login", "Its id, as `lunette user logins` shows it."),),
        ),
    ),
    "token": (
        *standard("token", ("name", "username", "role", "expires_at", "last_used_at")),
        Command(
            "create",
            "Creates an API token and prints it this once.",
            ("token_create",),
            (
                Param("name", "Its name."),
                _ROLE._replace(help="Role of the token; yours if not given."),
                Param("--expires-days", "Days until it expires; never if not given.", number=True),
            ),
            create_token,
        ),
    ),
}
