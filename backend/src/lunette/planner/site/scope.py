"""What belongs to one object of a site: a host with its mappings and volumes, an array with its volumes."""

from collections.abc import Iterator, Sequence

from lunette.domain.mappings import MappingCreate
from lunette.domain.site import Site, SiteNoun, key_of, owner_of


def narrow(site: Site, known: Site, scope: Sequence[str], wanted: Site) -> Site:
    """The site without what is out of scope; all of it if the scope is empty.

    The relations are read from both the present and the desired state, so that both sides are limited alike.
    """
    if not scope:
        return site
    inside = frozenset(key for start in scope for side in (known, wanted) for key in _around(side, start))
    sections = {
        noun.section: tuple(entry for entry in site.entries(noun) if key_of(noun, entry) in inside)
        for noun in SiteNoun
        if getattr(site, noun.section) is not None
    }
    return site.model_copy(update=sections)


def _around(site: Site, start: str) -> Iterator[str]:
    """Keys of an object and of everything that depends on it, in one document."""
    yield start
    noun, _, name = start.partition("/")
    match noun:
        case SiteNoun.ARRAY:
            yield from (f"{SiteNoun.VOLUME}/{volume.name}" for volume in site.volumes or () if volume.array == name)
        case SiteNoun.VOLUME:
            yield from (_key(mapping) for mapping in site.mappings or () if mapping.volume == name)
        case SiteNoun.HOST | SiteNoun.HOST_GROUP:
            owned = [mapping for mapping in site.mappings or () if owner_of(mapping) == start]
            yield from map(_key, owned)
            yield from (f"{SiteNoun.VOLUME}/{mapping.volume}" for mapping in owned)
            groups = site.host_groups or () if noun == SiteNoun.HOST_GROUP else ()
            yield from (f"{SiteNoun.HOST}/{host}" for group in groups if group.name == name for host in group.hosts)


def _key(mapping: MappingCreate) -> str:
    return key_of(SiteNoun.MAPPING, mapping)
