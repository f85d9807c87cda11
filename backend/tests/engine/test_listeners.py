"""The servers of the tests leave nothing open, which pytest would report as the failure of some later test."""

import gc
import smtplib
import ssl
import warnings

from backend.tests.engine.listeners import Authority, mail_server


def test_a_mail_server_that_stops_closes_the_connections_of_its_clients() -> None:
    authority = Authority()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        with mail_server(authority) as server:
            client = smtplib.SMTP("127.0.0.1", server.port)
            client.starttls(context=ssl.create_default_context(cadata=authority.pem))
            client.ehlo()
        client.close()
        gc.collect()
    assert [text for text in (str(warning.message) for warning in caught) if "unclosed" in text] == []
