"""`lunette certificate`: what the web page and the API show, replaced while they run."""

from lunette.cli.call import Call
from lunette.cli.running import body_of, send
from lunette.cli.spec import Command, Param


def take(call: Call) -> None:
    """Sends the wish, and tells what becomes of those who remember the fingerprint of the one before."""
    send(call, body_of(call))
    if not call.dry_run:
        call.screen.note("Commands that remember the fingerprint of the one before need `lunette login` now.")


_REMEMBERED = "Whoever remembers the fingerprint of the one before, as this command does, must log in again."
COMMANDS = {
    "certificate": (
        Command(
            "show", "Shows the certificate, and the one before it. Private keys are never shown.", ("certificate_show",)
        ),
        Command(
            "replace",
            "Takes another certificate with its key at once; exports go on.",
            ("certificate_replace",),
            (
                Param(
                    "--certificate",
                    "PEM file: the server's own first, then each that signed the one before.",
                    file=True,
                    required=True,
                ),
                Param(
                    "--key",
                    "PEM file with its private key, without a passphrase.",
                    field="private_key",
                    file=True,
                    required=True,
                ),
            ),
            take,
            more=f"Both are checked first. {_REMEMBERED}",
        ),
        Command(
            "revert",
            "Takes back the certificate before; once more, and the present one is back.",
            ("certificate_revert",),
            (),
            take,
            more=_REMEMBERED,
        ),
        Command(
            "self-sign",
            "Makes a new key and a self-signed certificate for today's names and addresses.",
            ("certificate_self_sign",),
            (),
            take,
            more=_REMEMBERED,
        ),
    ),
}
