"""Renames in a site document: the comparison uses the new names of existing objects, and renaming is a change
itself.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lunette.domain.base import Model
from lunette.domain.site import Site, SiteNoun

RENAMABLE = (SiteNoun.VOLUME, SiteNoun.HOST, SiteNoun.HOST_GROUP, SiteNoun.SCHEDULE)
"""Nouns with `renamed_from` in their entries."""


@dataclass(frozen=True)
class Renames:
    """`names` has the new name by noun and old name; `idle` the keys of entries whose new and old name both exist."""

    names: Mapping[SiteNoun, Mapping[str, str]]
    idle: tuple[str, ...]

    def new(self, noun: SiteNoun, name: str) -> str:
        """The name of an object after the renames."""
        return self.names.get(noun, {}).get(name, name)

    def key(self, key: str) -> str:
        """For an object that is not a mapping."""
        noun, _, name = key.partition("/")
        return f"{noun}/{self.new(SiteNoun(noun), name)}"

    def pairs(self) -> Iterator[tuple[SiteNoun, str, str]]:
        """Noun, old and new name of each rename."""
        return ((noun, old, new) for noun, names in self.names.items() for old, new in names.items())


def renames(known: Site, wanted: Site) -> Renames:
    """An object is renamed if the new name is free, so a document that is applied again renames nothing."""
    names: dict[SiteNoun, dict[str, str]] = {}
    idle = []
    for noun in RENAMABLE:
        there = {_name(entry) for entry in known.entries(noun)}
        for entry in wanted.entries(noun):
            old, new = getattr(entry, "renamed_from", None), _name(entry)
            if old not in there:
                continue
            if new in there:
                idle.append(f"{noun}/{new}")
            else:
                names.setdefault(noun, {})[old] = new
    return Renames(names, tuple(idle))


def by_new_names(site: Site, found: Renames) -> Site:
    """The present state under the new names, wherever one entry names another."""
    if not found.names:
        return site
    volume, host, group = SiteNoun.VOLUME, SiteNoun.HOST, SiteNoun.HOST_GROUP

    def called(noun: SiteNoun, entries: tuple[Model, ...] | None, **lists: SiteNoun) -> tuple[Model, ...]:
        return tuple(
            entry.model_copy(
                update={
                    "name": found.new(noun, _name(entry)),
                    **{
                        field: tuple(found.new(of, one) for one in getattr(entry, field)) for field, of in lists.items()
                    },
                }
            )
            for entry in entries or ()
        )

    mappings = tuple(
        one.model_copy(
            update={
                "volume": found.new(volume, one.volume),
                "host": one.host and found.new(host, one.host),
                "host_group": one.host_group and found.new(group, one.host_group),
            }
        )
        for one in site.mappings or ()
    )
    return site.model_copy(
        update={
            "volumes": called(volume, site.volumes),
            "hosts": called(host, site.hosts),
            "host_groups": called(group, site.host_groups, hosts=host),
            "mappings": mappings,
            "schedules": called(SiteNoun.SCHEDULE, site.schedules, volumes=volume),
        }
    )


def _name(entry: Model) -> str:
    name: str = getattr(entry, "name")  # noqa: B009 every renamable entry has one
    return name
