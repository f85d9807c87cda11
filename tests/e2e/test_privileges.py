"""The API process cannot reach the machine, and the agent serves no one else and nothing else."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace

import pytest

from lunette.client import Refused
from lunette.domain.agent_protocol import PROTOCOL_VERSION
from tests.lab.access import PatientClient, fingerprint_of
from tests.lab.appliance import Appliance
from tests.lab.exposure import EXPOSED, exposure

pytestmark = [pytest.mark.uml, pytest.mark.timeout(600)]

_ASK_AGENT = """
import json, socket, struct, sys
link = socket.socket(socket.AF_UNIX); link.connect("/run/lunette/agent.sock")
body = sys.argv[1].encode()
try:
    link.sendall(struct.pack(">I", len(body)) + body)
except BrokenPipeError:
    pass  # who may not connect is told so before being heard
head = link.recv(4)
print(link.recv(65536).decode() if len(head) == 4 else "closed")
"""


@pytest.fixture
def machine(native: Appliance) -> Appliance:
    """The appliance that tests share."""
    return native


def in_api_process(machine: Appliance, program: str) -> str:
    """Runs Python inside the namespaces, with the uid and without the capabilities of the running API process."""
    pid = machine.machine.check("systemctl show --property=MainPID --value lunette-api").strip()
    enter = f"nsenter --target {pid} --mount --net --root --wd"
    drop = "setpriv --reuid=lunette-api --regid=lunette-api --init-groups --bounding-set=-all --no-new-privs"
    return machine.machine.run(f"{enter} {drop} python3 -c {shlex.quote(program)} 2>&1").stdout


def asking(envelope: dict[str, object]) -> str:
    """A shell command that sends one message to the agent and prints its answer."""
    return f"python3 -c {shlex.quote(_ASK_AGENT)} {shlex.quote(json.dumps(envelope))}"


def test_the_api_process_runs_unprivileged(machine: Appliance) -> None:
    pid = machine.machine.check("systemctl show --property=MainPID --value lunette-api").strip()
    status = machine.machine.check(f"cat /proc/{pid}/status")
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert facts["Uid"].split()[0] != "0"
    assert {facts[name] for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb")} == {"0" * 16}
    assert facts["NoNewPrivs"] == "1"
    assert facts["Groups"].split() == [facts["Gid"].split()[0]]
    if "Seccomp" in facts:  # a kernel may be built without it
        assert facts["Seccomp"] == "2", "no filter (proc_pid_status(5))"


def test_no_unit_may_more_than_it_is_known_to_need(machine: Appliance) -> None:
    """The figures of tests/repository/test_units.py, by the systemd that the appliance runs."""
    installed = EXPOSED.keys() & machine.machine.check("ls /usr/lib/systemd/system").split()
    assert {"lunette-agent.service", "lunette-api.service", "nvme-host-names.service"} <= installed
    for name in sorted(installed):
        said = machine.machine.check(f"systemd-analyze security --no-pager {name} | tail -n 1")
        assert exposure(said) <= EXPOSED[name], said


def in_agent_process(machine: Appliance, command: str) -> str:
    """What a shell says that begins as a child of the agent would: its namespaces, capabilities and filter."""
    shown = machine.machine.check("systemctl cat lunette-agent.service")
    keep = ("Cap", "Lock", "Memory", "NoNew", "Private", "Protect", "ReadOnly", "Restrict", "SystemCall")
    held = [line for line in shown.splitlines() if line.startswith(keep) and "MemoryMax" not in line]
    given = " ".join(f"--property={shlex.quote(line)}" for line in held)
    return machine.machine.run(f"systemd-run --quiet --pipe --wait {given} sh -c {shlex.quote(command)} 2>&1").stdout


def test_what_the_agent_runs_cannot_reach_what_it_never_needs(machine: Appliance) -> None:
    pid = machine.machine.check("systemctl show --property=MainPID --value lunette-agent").strip()
    facts = dict(
        line.split(":\t", 1) for line in machine.machine.check(f"cat /proc/{pid}/status").splitlines() if ":\t" in line
    )
    assert facts["NoNewPrivs"] == "1"
    kept = int(facts["CapEff"], 16)
    for name, number in (("CAP_SETUID", 7), ("CAP_SYS_PTRACE", 19), ("CAP_SYS_BOOT", 22), ("CAP_SYSLOG", 34)):
        assert not kept >> number & 1, name
    for tried in ("touch /usr/lib/owned", "touch /opt/owned", "touch /root/owned", "cat /dev/kmsg", "unshare -n true"):
        said = in_agent_process(machine, f"{tried} && echo wor''ked")
        assert said.strip(), tried
        assert "worked" not in said, tried
    machine.machine.check("test ! -e /usr/lib/owned -a ! -e /opt/owned")
    assert "worked" in in_agent_process(
        machine, "modprobe dm_mod; vgs; touch /etc/lvm/x && rm /etc/lvm/x && echo worked"
    )


def test_the_units_have_the_limits_that_they_name_and_the_clock_is_set(machine: Appliance) -> None:
    shown = {
        unit: dict(line.split("=", 1) for line in machine.machine.check(f"systemctl show {unit}").splitlines() if line)
        for unit in ("lunette-api", "lunette-agent", "systemd-timesyncd")
    }
    assert {one["LimitNOFILE"] for name, one in shown.items() if name != "systemd-timesyncd"} == {"65536"}
    assert shown["lunette-api"]["OOMScoreAdjust"] == "500"
    assert shown["lunette-api"]["MemoryMax"].isdigit(), "infinity is no limit"
    assert shown["lunette-agent"]["MemoryMax"] == "infinity"
    assert (shown["systemd-timesyncd"]["UnitFileState"], shown["systemd-timesyncd"]["ActiveState"]) == (
        "enabled",
        "active",
    )


def test_the_api_process_cannot_open_a_disk(machine: Appliance) -> None:
    for disk in machine.machine.disks:
        said = in_api_process(machine, f"import os; os.open('{disk.path}', os.O_RDONLY); print('op' + 'ened')")
        assert "opened" not in said
        assert "Permission" in said or "No such file" in said


def test_the_api_process_cannot_write_configfs(machine: Appliance) -> None:
    machine.machine.check("modprobe target_core_mod; test -d /sys/kernel/config/target")
    said = in_api_process(
        machine, "import os; os.mkdir('/sys/kernel/config/target/core/iblock_99'); print('ma' + 'de')"
    )
    assert "made" not in said
    assert "Error" in said
    machine.machine.check("test ! -e /sys/kernel/config/target/core/iblock_99")


def test_the_agent_refuses_another_user(machine: Appliance) -> None:
    ask = asking({"version": PROTOCOL_VERSION, "request": {"kind": "hello"}})
    for user in ("nobody", "daemon"):
        # Even with the socket's file mode out of the way, the peer's uid decides.
        machine.machine.check("chmod 0666 /run/lunette/agent.sock")
        said = machine.machine.run(f"setpriv --reuid={user} --clear-groups {ask} 2>&1").stdout
        reported = json.loads(said)
        assert (reported["kind"], reported["type"]) == ("problem", "forbidden")
    machine.machine.check("chmod 0660 /run/lunette/agent.sock")
    assert '"ledger_generation"' in machine.machine.check(
        f"setpriv --reuid=lunette-api --regid=lunette-api --init-groups {ask}"
    )


def test_the_agent_refuses_a_request_outside_its_set(machine: Appliance) -> None:
    for request in ({"kind": "run", "argv": ["touch", "/run/owned"]}, {"kind": "do_step", "job_id": "x", "step": {}}):
        said = machine.machine.check(asking({"version": PROTOCOL_VERSION, "request": request}))
        assert '"problem"' in said
    machine.machine.check("test ! -e /run/owned")
    said = machine.machine.check(asking({"version": 1, "request": {"kind": "hello"}}))
    assert '"problem"' in said


def test_root_on_the_console_needs_no_password_and_is_named_in_events(machine: Appliance) -> None:
    assert "sentence: " in machine.machine.check("lunette status", timeout_s=120)
    made = machine.machine.check(
        "lunette host create console --iqn iqn.2026-01.com.example:console --json", timeout_s=120
    )
    assert json.loads(made)["name"] == "console"
    (event,) = [one for one in machine.client.list("/events", kind="host.created") if "console" in one["message"]]
    assert event["actor"] == "root@local"


def test_nobody_but_root_comes_in_by_the_local_socket(machine: Appliance) -> None:
    place = "/run/lunette-api/local.sock"
    assert machine.machine.check(f"stat --format=%a:%U {place}").strip() == "600:lunette-api"
    ask = f"env HOME=/tmp LUNETTE_URL=unix:{place} lunette whoami 2>&1; echo exit $?"
    for user in ("nobody", "lunette-api"):
        # Even with modes of folder and file out of the way, the peer's uid decides.
        machine.machine.check(f"chmod 0755 /run/lunette-api; chmod 0666 {place}")
        said = machine.machine.run(f"setpriv --reuid={user} --clear-groups sh -c {shlex.quote(ask)}").stdout
        assert "Only root may use this socket" in said
        assert "exit 6" in said
    machine.machine.check(f"chmod 0700 /run/lunette-api; chmod 0600 {place}")


def test_manual_page_and_completion_are_installed(machine: Appliance) -> None:
    for path in ("man/man1/lunette.1", "bash-completion/completions/lunette", "zsh/vendor-completions/_lunette"):
        machine.machine.check(f"test -s /usr/share/{path}")
    said = machine.machine.check(
        'bash -lc \'COMP_LINE="lunette host show con"; COMP_POINT=${#COMP_LINE}; '
        "COMP_WORDS=(lunette host show con); COMP_CWORD=3; _lunette; echo ${COMPREPLY[@]}'",
        timeout_s=120,
    )
    assert said.strip() == "console"


def test_the_certificate_is_replaced_and_reverted_by_a_process_without_rights(machine: Appliance) -> None:
    """New connections see it at once; open connections stay open, and nothing is restarted."""
    url, client = machine.machine.api_url, machine.client
    pid = machine.machine.check("systemctl show --property=MainPID --value lunette-api")
    before = fingerprint_of(url)
    client.post("/certificate:self-sign")
    made = fingerprint_of(url)
    assert made != before
    with PatientClient(replace(machine.access.endpoint, fingerprint=made)) as other:
        shown = other.get("/certificate")
        assert made.replace(":", "").lower() in json.dumps(shown).replace(":", "").lower()
        with pytest.raises(Refused) as caught:
            other.post("/certificate:replace", {"certificate": "no certificate", "private_key": "no key"})
        assert caught.value.status in {409, 422}
        assert fingerprint_of(url) == made
        other.post("/certificate:revert")
    assert fingerprint_of(url) == before
    assert machine.machine.check("systemctl show --property=MainPID --value lunette-api") == pid
    assert client.get("/status")["agent"]["answers"]
