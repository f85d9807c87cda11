"""Commands login, logout and password: which appliance is trusted, where the token is stored, and who may read it."""

import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
import uvicorn

from backend.tests.cli.appliance import PASSWORD, Cli
from backend.tests.fakemachine import FakeSystem
from backend.tests.wiring import add_user, make_app
from lunette.api.app import make_app as app_of
from lunette.api.main import Server
from lunette.cli import exits
from lunette.client import Client, ConfigProblem, Endpoint, Unreachable, Untrusted, fetch_fingerprint, find_endpoint
from lunette.client.finding import config_file, read_config, remember
from lunette.domain.roles import Role


@pytest.fixture(scope="module")
def https(tmp_path_factory: pytest.TempPathFactory, sqlite_template: Path) -> Iterator[str]:
    """An appliance over TLS with an unknown certificate."""
    folder = tmp_path_factory.mktemp("https")
    (folder / "lunette.db").write_bytes(sqlite_template.read_bytes())
    _, services = make_app(folder, FakeSystem(), f"sqlite:///{folder}/lunette.db")
    add_user(services.store, "admin", Role.ADMINISTRATOR, PASSWORD)
    add_user(services.store, "new", Role.OPERATOR, PASSWORD, must_change=True)
    issued = trustme.CA().issue_cert("127.0.0.1")
    issued.private_key_pem.write_to_path(folder / "key.pem")
    issued.cert_chain_pems[0].write_to_path(folder / "cert.pem")
    config = uvicorn.Config(
        app_of(services),
        host="127.0.0.1",
        port=0,
        log_level="warning",
        lifespan="on",
        ssl_keyfile=folder / "key.pem",
        ssl_certfile=str(folder / "cert.pem"),
    )
    server = Server(config, services.feed)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield f"https://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(30)
    services.store.close()


@pytest.fixture
def cli(tmp_path: Path) -> Iterator[Cli]:
    """The command line of a user who has never logged in."""
    made = Cli(tmp_path, "", "", FakeSystem())
    made.env = {"HOME": str(tmp_path)}
    (tmp_path / "password").write_text(PASSWORD + "\n")
    yield made
    made.close()


def log_in(cli: Cli, url: str, *options: str) -> Any:
    shown = fetch_fingerprint(url)
    return cli(
        *("login", url, "--fingerprint", shown, "--password-file", f"{cli.folder}/password", "--name", "lab", *options)
    )


def test_login_remembers_a_token_that_only_its_owner_can_read(cli: Cli, https: str) -> None:
    assert log_in(cli, https).code == 0
    path = config_file(cli.env)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "username: admin" in cli("whoami").out
    assert "username: admin" in cli("--appliance", "lab", "whoami").out
    assert "username: admin" in cli("--appliance", https, "whoami").out
    assert PASSWORD not in path.read_text()


def test_a_certificate_is_trusted_only_after_confirmation(cli: Cli, https: str) -> None:
    not_asked = cli("login", https, "--password-file", f"{cli.folder}/password")
    assert not_asked.code == exits.USAGE
    assert f"--fingerprint {fetch_fingerprint(https)}" in not_asked.err
    wrong = cli("login", https, "--password-file", f"{cli.folder}/password", "--fingerprint", "ab" * 32)
    assert (wrong.code, "Nothing was sent" in wrong.err) == (exits.UNREACHABLE, True)
    assert not config_file(cli.env).exists()


def test_logout_deletes_the_token_there_and_here(cli: Cli, https: str) -> None:
    log_in(cli, https)
    token = find_endpoint(None, cli.env)
    assert cli("logout").err == f"Logged out. lab was removed from {config_file(cli.env)}.\n"
    assert read_config(config_file(cli.env)) == (None, {})
    with Client(token) as client, pytest.raises(Exception, match="is unknown"):
        client.me_show()
    assert cli("logout").code == exits.USAGE


def test_a_one_time_password_is_changed_at_the_first_login(cli: Cli, https: str) -> None:
    (cli.folder / "new").write_text("another-long-password\n")
    assert log_in(cli, https, "--user", "new", "--new-password-file", f"{cli.folder}/new").code == 0
    assert "role: operator" in cli("whoami").out
    (cli.folder / "third").write_text("a-third-long-password\n")
    changed = cli(
        *("password", "--user", "new", "--password-file", f"{cli.folder}/new"),
        *("--new-password-file", f"{cli.folder}/third"),
    )
    assert (changed.code, changed.err[:25]) == (0, "The password was changed.")
    assert (
        cli(
            "password",
            "--user",
            "new",
            "--password-file",
            f"{cli.folder}/new",
            "--new-password-file",
            f"{cli.folder}/third",
        ).code
        == exits.NOT_ALLOWED
    )


def test_a_new_password_ends_the_tokens_and_the_command_has_another_one(cli: Cli, https: str) -> None:
    log_in(cli, https)
    before = find_endpoint(None, cli.env)
    (cli.folder / "new").write_text("another-long-password\n")
    files = ("--password-file", f"{cli.folder}/password", "--new-password-file", f"{cli.folder}/new")
    changed = cli("password", *files)
    assert (changed.code, "API tokens were deleted" in changed.err) == (0, True)
    assert cli("whoami").code == 0
    after = find_endpoint(None, cli.env)
    assert after.token != before.token
    with Client(before) as client, pytest.raises(Exception, match="is unknown"):
        client.me_show()
    back = ("--password-file", f"{cli.folder}/new", "--new-password-file", f"{cli.folder}/password")
    kept = cli("password", *back, "--keep-tokens")
    assert (kept.code, "API tokens remain valid" in kept.err) == (0, True)
    assert find_endpoint(None, cli.env) == after
    assert cli("whoami").code == 0


def test_another_certificate_gets_neither_token_nor_request(cli: Cli, https: str) -> None:
    with (
        Client(Endpoint(https, "lnt_secret", "00" * 32)) as client,
        pytest.raises(Untrusted, match="another certificate"),
    ):
        client.status_show()
    with Client(Endpoint(https)) as client, pytest.raises(Untrusted, match="lunette login"):
        client.status_show()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("default = 1\n", "must be the name"),
        ("[appliances.a]\n", "requires a url"),
        ("= x", "cannot be read"),
        ("[appliances.a]\nurl = 'https://a'\ntokn = 'x'\n", "can contain only"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_reported(cli: Cli, text: str, words: str) -> None:
    path = config_file(cli.env)
    path.parent.mkdir(parents=True)
    path.touch(0o600)
    path.write_text(text)
    refused = cli("status")
    assert (refused.code, words in refused.err) == (exits.USAGE, True)


def test_a_configuration_that_others_can_read_is_refused(cli: Cli) -> None:
    path = config_file(cli.env)
    remember("lab", Endpoint("https://192.0.2.1:8443", "lnt_x", "ab" * 32), path, make_default=True)
    for mode in (0o640, 0o604, 0o620):
        path.chmod(mode)
        refused = cli("status")
        assert (refused.code, f"chmod 600 {path}" in refused.err) == (exits.USAGE, True)
    path.chmod(0o600)
    assert find_endpoint(None, cli.env).token == "lnt_x"


def test_which_appliance_is_meant_is_found_in_the_documented_order(cli: Cli) -> None:
    path = config_file(cli.env)
    remember("one", Endpoint("https://one:8443", "t1"), path, make_default=True)
    remember("two", Endpoint("https://two:8443", "t2"), path, make_default=False)
    assert find_endpoint(None, cli.env).url == "https://one:8443"
    assert find_endpoint(None, {**cli.env, "LUNETTE_APPLIANCE": "two"}).token == "t2"
    assert (
        find_endpoint(None, {**cli.env, "LUNETTE_APPLIANCE": "two", "LUNETTE_URL": "https://x:1"}).url == "https://x:1"
    )
    assert find_endpoint("two", {**cli.env, "LUNETTE_URL": "https://x:1"}).token == "t2"
    assert find_endpoint("https://two:8443/", cli.env).token == "t2"
    assert find_endpoint("unix:/run/x", cli.env).is_local
    with pytest.raises(ConfigProblem, match="contains no appliance 'three'; it contains: one, two"):
        find_endpoint("three", cli.env)


def test_a_token_is_sent_only_to_its_own_address_and_never_unencrypted(cli: Cli) -> None:
    env = {**cli.env, "LUNETTE_URL": "https://one:8443", "LUNETTE_TOKEN": "lnt_one", "LUNETTE_FINGERPRINT": "ab"}
    assert find_endpoint("https://one:8443/", env).token == "lnt_one"
    other = find_endpoint("https://other:8443", env)
    assert (other.token, other.fingerprint) == (None, None)
    with (
        Client(Endpoint("http://192.0.2.1:8443", "lnt_one")) as client,
        pytest.raises(ConfigProblem, match="encrypted"),
    ):
        client.status_show()


def test_without_any_appliance_the_way_to_one_is_reported(cli: Cli) -> None:
    refused = cli("status")
    assert (refused.code, "lunette login https://" in refused.err) == (exits.USAGE, True)
    with pytest.raises(Unreachable, match="check the address"):
        fetch_fingerprint("https://127.0.0.1:1")
