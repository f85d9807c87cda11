"""Commands as data: parser, help, completion, manual page and reference are all made from these records."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from lunette.client.generated.operations import OPERATIONS, Operation

if TYPE_CHECKING:
    from lunette.cli.call import Call

JsonObject = dict[str, Any]


class Param(NamedTuple):
    """An argument (`volume`) or an option (`--size`)."""

    name: str
    help: str = ""
    """Empty if the API's text of the field is used: see `documented`."""
    field: str = ""
    """The field of the request's body it becomes; its own name if not given. A dot leads to a field in a field."""
    words: tuple[str, ...] = ()
    """Its only values."""
    noun: str = ""
    """Its value names one of these: `volume`. Completion asks the appliance."""
    flag: bool = False
    number: bool = False
    file: bool = False
    """A file whose content is the value (a secret is never on a command line, which others can see); - is stdin."""
    path: bool = False
    """A path that is opened by the command itself."""
    many: bool = False
    required: bool = False
    """Options only; an argument is required unless `optional`."""
    optional: bool = False
    default: Any = None
    metavar: str = ""
    sets: Any = True
    """Flags only: the value of the field."""
    repeats: str = ""
    """Flags only: the parameter whose values the field gets as well."""
    null: str = ""
    """The word for no value."""
    factor: int = 1
    """A number in another unit than that of the field: the field is this number of times larger."""
    also: tuple[str, ...] = ()
    """Other fields that the function of the command may give the value to; `mappings[].host` is one in each item."""
    is_rest: bool = False
    """A file with a document of all fields that no other parameter gives."""

    @property
    def is_option(self) -> bool:
        return self.name.startswith("--")

    @property
    def key(self) -> str:
        """Its name in Python and in a request: --host-group is host_group."""
        return self.name.lstrip("-").replace("-", "_")

    @property
    def shown(self) -> str:
        """The placeholder for its value in a usage line."""
        if self.metavar:
            return self.metavar
        if self.words:
            return "|".join(self.words) if len("|".join(self.words)) <= 40 else self.key.upper()
        if self.file or self.path:
            return "FILE"
        return "N" if self.number else (self.noun or self.key).upper().replace("_", "-")


class Command(NamedTuple):
    """A verb (`grow`) or a word without one (""): a sentence, the operations of the API it calls, its parameters."""

    name: str
    purpose: str = ""
    """Empty if the summary of its operation is used: see `purpose_of`."""
    operations: tuple[str, ...] = ()
    params: tuple[Param, ...] = ()
    run: "Callable[[Call], None] | None" = None
    """None: decided by its (only) operation, see running.py."""
    columns: tuple[str, ...] = ()
    """Of the table, if it lists; then it also has the filters of its operation."""
    destroys: str = ""
    """The key of the argument that names what is lost: its name must be typed, or given with --yes-destroy."""
    is_filtered: bool = False
    """Has the filters of its operation without being a table."""
    interrupts: bool = False
    """May interrupt hosts: asks for confirmation (or needs --yes) if the plan says so."""
    more: str = ""
    """Further sentences for its manual page."""
    follows: tuple[str, ...] = ()
    """Fields of the request that follow from other parameters."""

    @property
    def operation(self) -> Operation:
        """The first of its operations, which decides its further options."""
        return OPERATIONS[self.operations[0]]

    @property
    def is_planned(self) -> bool:
        return any(OPERATIONS[one].dry_run for one in self.operations)

    @property
    def takes_volumes(self) -> bool:
        """Whether it may remove volumes from hosts, or give their numbers to others: a volume in use must be named."""
        return any("confirm" in OPERATIONS[one].query for one in self.operations)

    @property
    def cascades(self) -> bool:
        """Whether it can delete what prevents a deletion."""
        return any("cascade" in OPERATIONS[one].query for one in self.operations)

    @property
    def makes_job(self) -> bool:
        return any(OPERATIONS[one].job for one in self.operations)


EVERYWHERE = (
    Param("--json", "Print only JSON on standard output.", flag=True),
    Param("--yaml", "Print only YAML on standard output.", flag=True),
    Param("--appliance", "Appliance to use: a configured name, or https://ADDRESS:8443.", metavar="NAME"),
    Param("--help", "Show this help.", flag=True),
)
"""Understood by every command, before or after the noun."""
_DRY_RUN = Param("--dry-run", "Show the plan without changing anything.", flag=True)
_NO_WAIT = Param("--no-wait", "Print the job without waiting for it to end.", flag=True)
_YES = Param("--yes", "Do not ask for confirmation, even if hosts are interrupted.", flag=True)
_CONFIRM = Param(
    "--confirm",
    "Volume to remove although hosts use it, or whose number may be reused; repeatable.",
    many=True,
    metavar="VOLUME",
)
_CASCADE = Param(
    "--cascade", "Also remove what prevents the deletion, such as mappings and snapshots, in the same plan.", flag=True
)
_LIST = (
    Param("--columns", "Columns of the table, as comma-separated field names.", metavar="A,B"),
    Param("--limit", "Maximum number of entries.", number=True),
)


def all_params(command: Command) -> tuple[Param, ...]:
    """The parameters of a command: its own, and those of its operations."""
    given = [*command.params]
    if command.columns or command.is_filtered:
        given += _filters(command)
    if command.columns:
        given += _LIST
    if command.is_planned:
        given.append(_DRY_RUN)
    if command.makes_job:
        given.append(_NO_WAIT)
    if command.destroys:
        given.append(
            Param("--yes-destroy", "Name of the object to destroy, to confirm without a prompt.", metavar="NAME")
        )
    if command.interrupts:
        given.append(_YES)
    if command.cascades:
        given.append(_CASCADE)
    if command.takes_volumes:
        given.append(_CONFIRM)
    return (*given, *EVERYWHERE)


_NOUNS_OF_FILTERS = ("array", "host", "host_group", "volume")


def documented(command: Command) -> tuple[Param, ...]:
    """The parameters of a command, each with its help: its own, or the API's text of the field."""
    params = all_params(command)
    return tuple(param if param.help else param._replace(help=_api_text(command, param)) for param in params)


def purpose_of(command: Command) -> str:
    """The purpose of a command: its own sentence, or the summary of its operation in the API."""
    if command.purpose:
        return command.purpose
    from lunette.client.generated.texts import SUMMARIES

    return f"{SUMMARIES[command.operations[0]]}."


def _api_text(command: Command, param: Param) -> str:
    """Read only for help, so that a command that only runs does not load the texts. Raises KeyError without one."""
    from lunette.client.generated.texts import TEXTS

    for operation in command.operations:
        for field in filter(None, (param.field, param.key)):
            if field in TEXTS[operation]:
                return TEXTS[operation][field]
    raise KeyError(f"{command.operations}: the API has no text for {param.name}")


def _filters(command: Command) -> list[Param]:
    """The filters of a list, as the API names them."""
    own = {param.key for param in command.params}
    words = dict(command.operation.words)
    return [
        Param(
            "--" + name.replace("_", "-"),
            words=words.get(name, ()),
            noun=name.replace("_", "-") if name in _NOUNS_OF_FILTERS else "",
            metavar="" if name in _NOUNS_OF_FILTERS else name.upper().replace("_", "-"),
        )
        for name in command.operation.query
        if name not in own
    ]


_IDENTIFIED_BY = {
    "disk": "ID or serial number of the disk.",
    "interface": "Name of the interface.",
    "fc-port": "WWPN or ID of the FC port.",
    "deleted-volume": "ID of the deleted volume, or its name if the name is unique.",
    "deleted-snapshot": "ID of the deleted snapshot, or its name if the name is unique.",
}
"""Nouns with references other than a name or ID."""


def standard(
    noun: str, columns: tuple[str, ...], *, destroys: bool = False, with_delete: bool = True, more: str = ""
) -> tuple[Command, ...]:
    """`list`, `show` and `delete` of a noun, as far as the API has them; `delete` only `with_delete`, and `more` is
    about it.
    """
    prefix = noun.replace("-", "_")
    help_ = _IDENTIFIED_BY.get(noun) or f"Name or ID of the {noun.replace('-', ' ')}."
    item = Param(prefix, help_, noun=noun)
    made = [Command("list", operations=(f"{prefix}_list",), columns=columns)]
    if f"{prefix}_show" in OPERATIONS:
        made.append(Command("show", operations=(f"{prefix}_show",), params=(item,)))
    if with_delete and f"{prefix}_delete" in OPERATIONS:
        asks = prefix if destroys else ""
        deletion = Command(
            "delete",
            operations=(f"{prefix}_delete",),
            params=(item,),
            destroys=asks,
            interrupts=not destroys,
            more=more,
        )
        made.append(for_several(deletion, noun) if f"{prefix}_delete_batch" in OPERATIONS else deletion)
    return tuple(made)


def for_several(command: Command, noun: str) -> Command:
    """The command for one or several objects, which are then one plan."""
    (operation,), (item, *others) = command.operations, command.params
    words = f"{noun.replace('-', ' ')}s"
    typed = f"To confirm several {words}, type their number, such as '3 {words}', or specify it with --yes-destroy."
    return command._replace(
        purpose=f"{command.name.capitalize()}s one or several {words}, all or none.",
        operations=(operation, f"{operation}_batch"),
        params=(
            item._replace(help=f"{item.help.removesuffix('.')}; repeatable.", many=True, also=(f"{item.key}s",)),
            *others,
        ),
        more=" ".join(filter(None, (command.more, typed if command.destroys else ""))),
    )
