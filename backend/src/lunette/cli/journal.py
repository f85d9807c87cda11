"""`lunette job`, `lunette event` and `lunette alert`: what runs, what happened, what a person must look at."""

import json

from lunette.cli.call import Call
from lunette.cli.parsing import Wrong
from lunette.cli.private import write_privately
from lunette.cli.running import query_of, send
from lunette.cli.spec import Command, JsonObject, Param, standard
from lunette.client.generated.enums import RESOLUTION

_JOB = Param("job", "Its id.", noun="job")
_ALERT = Param("alert", "Its id, from `lunette alert list`.")
_EVENT = Param("event", "Its number, from `lunette event list`.", metavar="NUMBER")


def show(call: Call) -> None:
    call.show(call.client.operate("job_show", {"job": call["job"]}), lambda job: _print_job(call, job))


def _print_job(call: Call, job: JsonObject) -> None:
    call.screen.resource({key: value for key, value in job.items() if key != "steps"})
    call.screen.line("steps:")
    for step in job["steps"]:
        detail = f": {step['detail']}" if step["detail"] else ""
        call.screen.line(f"  {step['index'] + 1:>3}. {step['state']:<11} {step['description']}{detail}")


def wait(call: Call) -> None:
    """Follows a job that runs already; one that has ended badly fails here too."""
    job = call.follow(call.client.operate("job_show", {"job": call["job"]}))
    call.show(job, lambda found: call.screen.note(f"{found['title']}: {found['state']}."))


def resolve(call: Call) -> None:
    send(call, {"how": call["how"]})


def silence(call: Call) -> None:
    send(call, {"duration_s": 3600 * call["hours"]})


def follow(call: Call) -> None:
    """Prints events as they happen, each on a line; as JSON, one object a line."""
    if call["yaml"]:
        raise Wrong("events are printed as text or with --json, one object a line")
    for event in call.client.follow_events(call["after"]):
        if call["json"]:
            call.screen.out.write(json.dumps(event, ensure_ascii=False) + "\n")
        else:
            call.screen.line(f"{event['at']}  {event['kind']}  {event['message']}")
        call.screen.out.flush()


def export(call: Call) -> None:
    """The file as the appliance writes it, to standard output or for this user alone."""
    content = call.client.operate("event_export", {}, query_of(call))
    if call["output"] is None:
        call.screen.out.write(content.decode())
    else:
        write_privately(call["output"], content)
        call.screen.note(f"Written to {call['output']}.")


COMMANDS = {
    "job": (
        *standard("job", ("id", "title", "state", "progress_percent", "actor", "created_at"))[:1],
        Command("show", "Shows one job with its steps.", ("job_show",), (_JOB,), show),
        Command("wait", "Waits for a job's end with a progress bar.", ("job_show",), (_JOB,), wait),
        Command(
            "resolve",
            "Resolves a stuck job: try again where it stopped, or leave it as it is.",
            ("job_resolve",),
            (_JOB, Param("how", "What to do.", words=RESOLUTION)),
            resolve,
        ),
    ),
    "event": (
        standard("event", ("seq", "at", "actor", "outcome", "kind", "message"))[0],
        Command(
            "show", "Shows one event, what its plan said, and whether it can be undone.", ("event_show",), (_EVENT,)
        ),
        Command(
            "export",
            "Writes the log, or the part of it that the filters show, as CSV or JSON.",
            ("event_export",),
            (Param("--output", "Write it to this file instead of standard output.", path=True),),
            export,
            is_filtered=True,
        ),
        Command(
            "undo",
            "Undoes the change an event tells of, as things are today.",
            ("event_undo",),
            (_EVENT,),
            interrupts=True,
            more="It is a new change with a plan of its own (--dry-run shows it), and can be undone itself. Where "
            "something stands in the way, that is named and nothing is done.",
        ),
        Command(
            "follow",
            "Prints events as they happen, until Ctrl-C.",
            ("event_stream",),
            (Param("--after", "Begin with the events after this number.", number=True),),
            follow,
        ),
    ),
    "alert": (
        standard("alert", ("id", "severity", "raised_at", "resolved_at", "acknowledged_by", "message", "fix"))[0],
        Command("show", "Shows one alert.", ("alert_show",), (_ALERT,)),
        Command(
            "acknowledge",
            "Says that somebody sees to an open alert.",
            ("alert_acknowledge",),
            (_ALERT, Param("--note", "What is done, or by whom.")),
            more="That ends with the alert, and where it gets worse.",
        ),
        Command(
            "silence",
            "Has nothing told of an alert for a while, also if it comes back.",
            ("alert_silence",),
            (_ALERT, Param("--hours", "For so many hours.", number=True, required=True)),
            silence,
            more="If it gets worse, it is told all the same. If it is still there afterwards and nobody has "
            "acknowledged it, it is told again.",
        ),
        Command("reopen", "Takes an acknowledgement and a silence back.", ("alert_reopen",), (_ALERT,)),
    ),
}
