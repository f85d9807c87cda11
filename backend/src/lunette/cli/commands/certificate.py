"""`lunette certificate`: the certificate of the web page and the API, replaced while they run."""

from lunette.cli.call import Call
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, Param


def take(call: Call) -> None:
    """Sends the request, and says which clients must log in again."""
    send(call, body_of(call))
    if not call.dry_run:
        call.screen.note(
            "Clients that stored the fingerprint of the previous certificate must run `lunette login` again."
        )


_LOG_IN_AGAIN = "Clients that store the fingerprint, as this command does, must log in again."
COMMANDS = {
    "certificate": (
        Command("show", operations=("certificate_show",), more="Private keys are never shown."),
        Command(
            "replace",
            operations=("certificate_replace",),
            params=(
                Param(
                    "--certificate",
                    "PEM file with the server's certificate, then the certificate of each issuer in order.",
                    file=True,
                    required=True,
                ),
                Param(
                    "--key",
                    "PEM file with the unencrypted private key.",
                    field="private_key",
                    file=True,
                    required=True,
                ),
            ),
            run=take,
            more=f"Certificate and key are checked first. Exports are not interrupted. {_LOG_IN_AGAIN}",
        ),
        Command(
            "revert",
            operations=("certificate_revert",),
            run=take,
            more=f"A second revert restores the present certificate. {_LOG_IN_AGAIN}",
        ),
        Command(
            "self-sign",
            "Creates a private key and a self-signed certificate for the current names and addresses.",
            ("certificate_self_sign",),
            (),
            take,
            more=_LOG_IN_AGAIN,
        ),
    ),
}
