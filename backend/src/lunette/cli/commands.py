"""The application object, and the commands that belong to no noun: login, status, password."""

import socket
from typing import Annotated

import typer

from lunette.cli import settings, show
from lunette.cli.client import Client, Endpoint, Refused, Unreachable, fetch_certificate

app = typer.Typer(
    name="lunette", help="Administers a Lunette storage appliance.", no_args_is_help=True, add_completion=True,
    pretty_exceptions_enable=False,
)  # fmt: skip
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the plan and change nothing.")]


def connect() -> Client:
    """A client for the remembered appliance. Raises Unreachable telling how to name one."""
    endpoint = settings.load_endpoint()
    if endpoint is None:
        raise Unreachable("no appliance is known; run `lunette login https://ADDRESS:8443`, or set LUNETTE_URL")
    return Client(endpoint)


def group(name: str, purpose: str) -> typer.Typer:
    """The sub-command of a noun, made on first use."""
    for existing in app.registered_groups:
        if existing.name == name and existing.typer_instance is not None:
            return existing.typer_instance
    made = typer.Typer(help=purpose, no_args_is_help=True)
    app.add_typer(made, name=name)
    return made


def _strong_password() -> str:
    return str(typer.prompt("New password", hide_input=True, confirmation_prompt=True))


@app.command()
def login(
    url: Annotated[str, typer.Argument(help="Web address, such as https://192.0.2.10:8443")],
    user: Annotated[str, typer.Option(help="User name.")] = "admin",
) -> None:
    """Trusts an appliance's certificate, logs in, and remembers an API token for later commands."""
    _, fingerprint = fetch_certificate(url)
    show.err.print(f"Certificate fingerprint (SHA-256): {fingerprint}", markup=False)
    if not typer.confirm("Is it the one shown on the appliance's console?", err=True):
        raise typer.Exit(2)
    with Client(Endpoint(url=url, fingerprint=fingerprint)) as client:
        password = typer.prompt(f"Password of {user}", hide_input=True, err=True)
        answer = client.login(user, password)
        if answer["password_change_required"]:
            show.err.print("The one-time password must be changed now.")
            client.post("/password", {"current_password": password, "new_password": _strong_password()})
            client.login(user, _ask_again(user))
        token = _make_token(client)
    path = settings.remember(Endpoint(url=url, fingerprint=fingerprint, token=token))
    show.err.print(f"Logged in. The token is kept in {path}.", markup=False)


def _ask_again(user: str) -> str:
    return str(typer.prompt(f"New password of {user}, once more to log in", hide_input=True, err=True))


def _make_token(client: Client) -> str:
    """An API token named after this machine; a number is added where that name is taken."""
    for number in range(1, 100):
        name = f"cli-{socket.gethostname()}" + (f"-{number}" if number > 1 else "")
        try:
            return str(client.post("/tokens", {"name": name[:63]})["token"])
        except Refused as error:
            if error.status != 409:
                raise
    raise Unreachable("99 tokens of this machine exist; delete some with `lunette token delete NAME`")


@app.command()
def status(as_json: AsJson = False) -> None:
    """Health in one sentence, and what the appliance holds."""
    with connect() as client:
        answer = client.get("/status")
    if as_json:
        show.as_json(answer)
    else:
        show.resource(answer)
