"""The installer at the console: what a person is asked, and that the document decides as it would alone."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from backend.tests.installer.server import Server
from backend.tests.typist import Typist
from lunette.api.auth.passwords import Passwords
from lunette.console.terminal import Cancelled, Terminal
from lunette.domain.disks import ObservedDisk, Signature
from lunette.domain.errors import Conflict, LunetteError, NotFound
from lunette.installer import dialogue
from lunette.installer.document import Document, parse
from lunette.installer.finding import only_one
from lunette.installer.judge import judge
from lunette.installer.layout import MINIMUM_BYTES, Plan
from lunette.installer.questions import as_document, disk_lines, unfit
from lunette.providers.disks.inventory import observe_disks
from lunette.system.system_port import System

HERE = Path(__file__).parent
FINGERPRINT = ":".join(["AB"] * 32)
PASSWORD = "correct horse battery"


class Person:
    """A person who installs. `written` is what the installer was given."""

    def __init__(self, system: Server, lock: Path) -> None:
        self.system, self._lock = system, lock
        self.written: list[tuple[Document, tuple[ObservedDisk, ...], Plan]] = []

    @cached_property
    def typist(self) -> Typist:
        """Begins when it is first looked at."""
        return Typist(self._run)

    def _run(self, fd: int) -> None:
        with Terminal(fd, fd, idle_s=20.0) as terminal:
            dialogue.install(terminal, self.system, self._write, self._lock)

    def _write(self, system: System, document: Document, disks: tuple[ObservedDisk, ...], plan: Plan) -> str:
        self.written.append((document, disks, plan))
        return FINGERPRINT

    def answers(self, *pairs: tuple[str, str]) -> str:
        """Question and answer, one after the other; returns what was shown before the last question."""
        shown = ""
        for question, answer in pairs:
            shown = self.typist.reply(question, answer)
        return shown


@pytest.fixture
def system() -> Server:
    return Server({"eth0": "1", "eth1": "0"})


@pytest.fixture
def person(system: Server, tmp_path: Path) -> Iterator[Person]:
    made = Person(system, tmp_path / "lock")
    yield made
    made.typist.close()


HOST = ("Host name (Enter: lunette): ", "shelf-7")
ZONE = ("Time zone, such as Europe/Berlin (Enter: UTC): ", "Europe/Berlin")
ANY = ("Interface of the web page (1-3, Enter: none): ", "")
ONE_TIME = ("Password (Enter: one-time password): ", "")
SHELL = ("Password (Enter: no shell): ", "")
FIRST = ("Disk to install to (1-2, Enter: none): ", "1")
SINGLE = ("Second disk for a mirror (1, Enter: none): ", "")


def test_two_answers_install_on_one_blank_disk(person: Person) -> None:
    plan = person.answers(FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL, ("Type install to start: ", "install"))
    assert "it is blank: nothing is lost" in plan
    assert f"Not touched: {person.system.twin.serial}" in plan
    shown = person.typist.until("Write down the certificate")
    assert "".join(shown.split()).count(FINGERPRINT) == 1
    person.answers(("-- Enter: back to the menu -- ", ""))
    person.typist.ended()
    ((document, disks, _),) = person.written
    assert [disk.serial for disk in disks] == [person.system.large.serial]
    assert (document.hostname, document.network, document.administrator, document.wipe) == ("shelf-7", None, None, ())
    assert (document.afterwards, document.time_zone) == ("stay", "Europe/Berlin")


def test_every_answer_reaches_the_document_and_no_password_is_in_it(person: Person) -> None:
    person.answers(
        FIRST,
        ("Second disk for a mirror (1, Enter: none): ", "1"),
        HOST,
        ZONE,
        ("Interface of the web page (1-3, Enter: none): ", "2"),
        ("Address (1-2, Enter: none): ", "2"),
        ("such as 192.0.2.7/24: ", "192.0.2.7/24"),
        ("Gateway, such as 192.0.2.1 (Enter: none): ", "192.0.2.1"),
        ("DNS servers, separated by spaces (Enter: none): ", "192.0.2.2, 192.0.2.3"),
        ("Time servers (NTP), separated by spaces (Enter: none): ", "time.example.com"),
        ("Password (Enter: one-time password): ", PASSWORD),
        ("Repeat the password: ", PASSWORD),
        ("Password (Enter: no shell): ", PASSWORD),
        ("Repeat the password: ", PASSWORD),
    )
    plan = person.answers(("Type install to start: ", "install"))
    assert "mirrored on both disks" in plan
    assert "192.0.2.7/24 on 52:54:00:00:00:00, gateway 192.0.2.1" in plan
    person.answers(("-- Enter: back to the menu -- ", ""))
    person.typist.ended()
    ((document, disks, _),) = person.written
    assert [disk.serial for disk in disks] == [person.system.large.serial, person.system.twin.serial]
    assert document.network is not None
    assert [str(one) for one in document.network.dns] == ["192.0.2.2", "192.0.2.3"]
    assert document.network.ntp == ("time.example.com",)
    assert document.administrator is not None
    assert document.administrator.password is None
    assert document.administrator.password_hash is not None
    assert Passwords().is_right(PASSWORD, document.administrator.password_hash.get_secret_value())
    assert document.root is not None
    assert document.root.password_hash.get_secret_value() == Server.CRYPTED
    assert PASSWORD not in person.typist.all


def test_the_document_would_do_the_same_unattended(person: Person) -> None:
    """The dialogue has no rules of its own: what it makes is parsed and judged as a file is."""
    words: dict[str, Any] = {"version": 1, "disk": [person.system.large.serial], "hostname": "shelf-7"}
    document = parse(as_document(words))
    assert judge(person.system, document)[0].serial == person.system.large.serial


def test_the_same_answers_again_are_another_installation() -> None:
    """Otherwise the second one would be reported as done, or would take a disk without asking."""
    words: dict[str, Any] = {"version": 1, "disk": ["a"]}
    assert parse(as_document(words)).identity() != parse(as_document(words)).identity()


def test_what_carries_data_is_erased_only_where_its_own_serial_is_typed(person: Person) -> None:
    person.system.put_ext4(person.system.large)
    serial = person.system.large.serial
    plan = person.answers(
        FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL, (f"Type its serial number, {serial}, to", serial)
    )
    assert f"ERASED: serial {serial}" in plan
    assert "ext4 signature (label precious)" in plan
    person.answers(("Type install to start: ", "install"), ("-- Enter: back to the menu -- ", ""))
    person.typist.ended()
    assert person.written[0][0].wipe == (person.written[0][1][0].id,)


@pytest.mark.parametrize("typed", ["", "yes", "install", "TWIN", "lower"])
def test_another_word_than_the_serial_writes_nothing(person: Person, typed: str) -> None:
    serial = person.system.large.serial
    person.system.put_ext4(person.system.large)
    word = {"TWIN": person.system.twin.serial, "lower": serial.lower()}.get(typed, typed)
    person.answers(FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL, ("to erase it:", word))
    person.typist.until("That is not its serial number.\nNothing was written.")
    person.answers(("-- Enter: back to the menu -- ", ""))
    person.typist.ended()
    assert person.written == []


@pytest.mark.parametrize("question", range(8))
def test_ctrl_c_at_any_question_writes_nothing(person: Person, question: int) -> None:
    pairs = [FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL, ("Type install to start: ", "")]
    person.answers(*pairs[:question])
    person.typist.until(pairs[question][0])
    person.typist.send(b"\x03")
    with pytest.raises(Cancelled):
        person.typist.ended()
    assert person.written == []


def test_a_terminal_closed_before_the_confirmation_writes_nothing(person: Person) -> None:
    person.answers(FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL)
    person.typist.until("Type install to start: ")
    person.typist.close()
    assert person.written == []
    person.__dict__["typist"] = Typist(lambda _: None)


def test_a_disk_that_vanishes_between_choice_and_plan_is_refused(person: Person) -> None:
    person.answers(FIRST, SINGLE, HOST, ZONE, ANY)
    person.answers(ONE_TIME)
    person.typist.until(SHELL[0])
    person.system.pull(person.system.large)
    person.typist.type("\r")
    with pytest.raises(NotFound, match="was not found: check the drive"):
        person.typist.ended()
    assert person.written == []


def test_a_disk_that_changes_after_the_plan_is_refused(person: Person) -> None:
    """Another machine or another console wrote to it while the question was open."""
    person.answers(FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL)
    person.typist.until("Type install to start: ")
    person.system.put_ext4(person.system.large)
    person.typist.type("install\r")
    with pytest.raises(LunetteError, match="is not blank"):
        person.typist.ended()
    assert person.written == []


def test_other_content_than_that_of_the_plan_is_refused(person: Person) -> None:
    serial = person.system.large.serial
    person.system.put_ext4(person.system.large)
    person.answers(FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL, ("to erase it:", serial))
    person.typist.until("Type install to start: ")
    person.system.put_ext4(person.system.large, "other")
    person.typist.type("install\r")
    with pytest.raises(Conflict, match="a disk changed during the dialogue"):
        person.typist.ended()
    assert person.written == []


def test_without_a_link_nothing_is_installed(person: Person) -> None:
    person.answers(
        FIRST,
        SINGLE,
        HOST,
        ZONE,
        ("Interface of the web page (1-3, Enter: none): ", "3"),
        ("Address (1-2, Enter: none): ", "1"),
        ONE_TIME,
        SHELL,
    )
    with pytest.raises(Conflict, match="has no link"):
        person.typist.ended()
    assert person.written == []


def test_wrong_answers_are_requested_again_with_the_words_of_the_document(person: Person) -> None:
    person.answers(FIRST, SINGLE, ("Host name (Enter: lunette): ", "Shelf 7"))
    person.typist.until("must have at most 63 lower-case letters")
    person.answers(HOST, ("Time zone, such as Europe/Berlin (Enter: UTC): ", "Berlin"))
    person.typist.until("Berlin")
    person.typist.until("time zone")
    person.answers(ZONE, ANY, ("Password (Enter: one-time password): ", "short"))
    person.typist.until("must have 12 characters or more")
    person.answers(("Password (Enter: one-time password): ", PASSWORD), ("Repeat the password: ", "something else"))
    person.typist.until("The passwords do not match.")
    person.answers(ONE_TIME, SHELL)
    person.typist.until("Type install to start: ")


def test_one_installation_at_a_time(person: Person, tmp_path: Path) -> None:
    with only_one(tmp_path / "lock"):
        person.answers(FIRST, SINGLE, HOST, ZONE, ANY, ONE_TIME, SHELL)
        with pytest.raises(Conflict, match="another installation is running"):
            person.typist.ended()
    assert person.written == []


def test_disks_are_distinguished_by_serial_and_indistinguishable_ones_have_no_number(system: Server) -> None:
    """Two of one model and size: the serial is on the label of the drive."""
    disks = [
        disk.model_copy(
            update={
                "model": "SAMSUNG MZ7L3480",
                "size_bytes": 480_103_981_056,
                "id": f"ata-SAMSUNG_MZ7L3480_S4EV{number}",
                "serial": f"S4EV{number}",
            }
        )
        for number, disk in enumerate(observe_disks(system)[:2], 1)
    ]
    used = disks[1].model_copy(update={"signatures": (Signature(type="ext4", label="precious", uuid="a"),)})
    stick = disks[0].model_copy(update={"id": "usb-Stick_7", "serial": "7", "model": "Stick", "used_by_system": True})
    small = disks[0].model_copy(
        update={"id": "ata-Old_9", "serial": "9", "model": "Old", "size_bytes": MINIMUM_BYTES - 1}
    )
    member = disks[0].model_copy(update={"id": "ata-Busy_8", "serial": "8", "holders": ("md127",)})
    lines = disk_lines([disks[0], used], [stick, small, member])
    assert "\n".join([*lines, ""]) == (HERE / "golden/disks.txt").read_text()
    assert max(map(len, lines)) <= 79
    assert [unfit(one) is None for one in (disks[0], used, stick, small, member)] == [True, True, False, False, False]
