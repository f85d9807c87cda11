"""`lunette job`, `lunette event` and `lunette alert`."""

import json

from lunette.cli.call import Call
from lunette.cli.errors import UsageError
from lunette.cli.private import write_privately
from lunette.cli.running import query_of
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import RESOLUTION

_JOB = Param("job", "ID of the job.", noun="job")
_ALERT = Param("alert", "ID of the alert, as `lunette alert list` shows it.")
_EVENT = Param("event", "Number of the event, as `lunette event list` shows it.", metavar="NUMBER")


def show(call: Call) -> None:
    call.show(call.client.operate("job_show", {"job": call["job"]}), lambda job: _print_job(call, job))


def _print_job(call: Call, job: JsonObject) -> None:
    call.screen.resource({key: value for key, value in job.items() if key != "steps"})
    call.screen.line("steps:")
    for step in job["steps"]:
        detail = f": {step['detail']}" if step["detail"] else ""
        call.screen.line(f"  {step['index'] + 1:>3}. {step['state']:<11} {step['description']}{detail}")


def wait(call: Call) -> None:
    """Follows a running job; fails if the job has failed."""
    job = call.follow(call.client.operate("job_show", {"job": call["job"]}))
    call.show(job, lambda found: call.screen.note(f"{found['title']}: {found['state']}."))


def follow(call: Call) -> None:
    """Prints events as they happen, one per line; as JSON, one object per line."""
    if call["yaml"]:
        raise UsageError("Events are printed as text, or with --json as one object per line; --yaml is not supported")
    for event in call.client.follow_events(call["after"]):
        if call["json"]:
            call.screen.out.write(json.dumps(event, ensure_ascii=False) + "\n")
        else:
            call.screen.line(f"{event['at']}  {event['kind']}  {event['message']}")
        call.screen.out.flush()


def export(call: Call) -> None:
    """The file as the appliance writes it, to standard output or to a file that only this user can read."""
    content = call.client.operate("event_export", {}, query_of(call))
    if call["output"] is None:
        call.screen.out.write(content.decode())
    else:
        write_privately(call["output"], content)
        call.screen.note(f"Written to {call['output']}.")


COMMANDS = {
    "job": (
        *standard("job", ("id", "title", "state", "progress_percent", "actor", "created_at"))[:1],
        Command("show", operations=("job_show",), params=(_JOB,), run=show),
        Command("wait", "Waits for a job to end, and shows a progress bar.", ("job_show",), (_JOB,), wait),
        Command(
            "resolve",
            operations=("job_resolve",),
            params=(_JOB, Param("how", words=RESOLUTION)),
        ),
    ),
    "event": (
        standard("event", ("seq", "at", "actor", "outcome", "kind", "message"))[0],
        Command("show", operations=("event_show",), params=(_EVENT,)),
        Command(
            "export",
            "Exports all events, or those that match the filters, as CSV or JSON.",
            ("event_export",),
            (Param("--output", "File to write instead of standard output.", path=True),),
            export,
            is_filtered=True,
        ),
        Command(
            "undo",
            operations=("event_undo",),
            params=(_EVENT,),
            interrupts=True,
            more="The undo is a new change with a plan of its own (see --dry-run), and can itself be undone. If the "
            "change cannot be undone, the command shows the reason and changes nothing.",
        ),
        Command(
            "follow",
            "Prints events as they happen, until Ctrl-C.",
            ("event_stream",),
            (Param("--after", "Start with the events after this number.", number=True),),
            follow,
        ),
    ),
    "alert": (
        standard("alert", ("id", "severity", "raised_at", "resolved_at", "acknowledged_by", "message", "fix"))[0],
        Command("show", operations=("alert_show",), params=(_ALERT,)),
        Command(
            "acknowledge",
            operations=("alert_acknowledge",),
            params=(_ALERT, Param("--note")),
            more="The acknowledgement ends when the alert is raised again after its end, or when its severity rises.",
        ),
        Command(
            "silence",
            operations=("alert_silence",),
            params=(
                _ALERT,
                Param("--hours", "Duration in hours.", field="duration_s", number=True, required=True, factor=3600),
            ),
            more="The silence also applies if the alert is resolved and raised again. It ends early if the severity "
            "rises. When it ends, an alert that is still active and not acknowledged is sent again.",
        ),
        Command("reopen", operations=("alert_reopen",), params=(_ALERT,)),
    ),
}
