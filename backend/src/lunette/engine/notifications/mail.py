"""Mail: one message, one connection to one server (RFC 5321, STARTTLS of RFC 3207)."""

import smtplib
from email.message import EmailMessage
from email.utils import format_datetime

from lunette.domain.messages import Message
from lunette.domain.settings import MailSecurity, MailSettings
from lunette.engine.notifications.failure import TIMEOUT_S, DeliveryFailed, trust, words_of


def send(settings: MailSettings, message: Message, trusted_ca: str | None) -> str:
    """Sends the message. Returns the result in words. Raises DeliveryFailed."""
    where = f"{settings.server}:{settings.wanted_port}"
    try:
        with _connect(settings, trusted_ca) as server:
            if settings.user is not None and settings.password is not None:
                server.login(settings.user, settings.password.get_secret_value())
            refused = server.send_message(_mail(settings, message), settings.sender, list(settings.recipients))
    except smtplib.SMTPAuthenticationError as error:
        raise DeliveryFailed(f"{where} refuses user {settings.user}: {_text(error)}", was_answered=True) from error
    except smtplib.SMTPRecipientsRefused as error:
        raise DeliveryFailed(
            f"{where} refuses every recipient: {_refusals(error.recipients)}", was_answered=True
        ) from error
    except smtplib.SMTPResponseException as error:
        raise DeliveryFailed(f"{where} refuses: {_text(error)}", was_answered=True) from error
    except smtplib.SMTPServerDisconnected as error:
        raise DeliveryFailed(f"{where} closed the connection: {error}", was_answered=False) from error
    except smtplib.SMTPException as error:
        raise DeliveryFailed(f"{where}: {error}", was_answered=True) from error
    except OSError as error:
        raise DeliveryFailed(words_of(error, where), was_answered=False) from error
    return (
        f"{where} accepted the message, but refused {_refusals(refused)}"
        if refused
        else f"{where} accepted the message"
    )


def _connect(settings: MailSettings, trusted_ca: str | None) -> smtplib.SMTP:
    """A session that is encrypted before anything is sent, as far as the settings require that."""
    context = trust(trusted_ca)
    if settings.security is MailSecurity.TLS:
        return smtplib.SMTP_SSL(settings.server, settings.wanted_port, timeout=TIMEOUT_S, context=context)
    server = smtplib.SMTP(settings.server, settings.wanted_port, timeout=TIMEOUT_S)
    if settings.security is MailSecurity.STARTTLS:
        try:
            server.starttls(context=context)
        except BaseException:
            server.close()
            raise
    return server


def _mail(settings: MailSettings, message: Message) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = settings.sender
    mail["To"] = ", ".join(settings.recipients)
    mail["Subject"] = " ".join(message.subject.split())
    mail["Date"] = format_datetime(message.at)
    mail["Message-ID"] = f"<{message.id}@{settings.sender.rpartition('@')[2]}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(message.body())
    return mail


def _text(error: smtplib.SMTPResponseException) -> str:
    said = error.smtp_error
    return f"{error.smtp_code} {said.decode(errors='replace') if isinstance(said, bytes) else said}"


def _refusals(refused: dict[str, tuple[int, bytes]]) -> str:
    return "; ".join(f"{to} ({code} {said.decode(errors='replace')})" for to, (code, said) in refused.items())
