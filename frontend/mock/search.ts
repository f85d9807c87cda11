/** The search over the objects of the mock: names, addresses and identifiers. */
import type { SearchField, SearchMatch, SearchNoun, SearchResult, SearchResults } from '@/api'
import type { World } from './world'

type Values = [SearchField, string | null | undefined][]
const MATCHES: SearchMatch[] = ['exact', 'prefix', 'part']

function matchOf(value: string, text: string): SearchMatch | undefined {
  const own = value.toLowerCase()
  if (own === text) return 'exact'
  if (own.startsWith(text)) return 'prefix'
  return own.includes(text) ? 'part' : undefined
}

function* objects(world: World): Generator<[SearchNoun, string, string, string | null, Values]> {
  for (const one of world.arrays) yield ['array', one.id, one.name, null, [['uuid', one.uuid]]]
  for (const one of world.disks) yield ['disk', one.id, one.id, one.array, [['serial', one.serial]]]
  for (const one of world.volumes) {
    const values: Values = [
      ['naa', one.naa],
      ['serial', one.serial],
      ['nguid', one.nguid],
    ]
    yield ['volume', one.id, one.name, one.array, values]
  }
  for (const one of world.snapshots) yield ['snapshot', one.id, one.name, one.volume, []]
  for (const one of world.hosts) {
    const initiators = [...one.iqns, ...one.wwpns, ...one.nqns].map((name): Values[number] => [
      'initiator',
      name,
    ])
    yield ['host', one.id, one.name, null, initiators]
  }
  for (const one of world.portals) yield ['portal', one.id, one.name, null, [['address', one.address]]]
}

export function search(
  world: World,
  { text: typed, limit = 20 }: { text: string; limit?: number },
): SearchResults {
  const text = typed
    .trim()
    .toLowerCase()
    .replace(/^naa\./, '')
  const found = [...objects(world)].flatMap(([noun, id, name, parent, values]): SearchResult[] => {
    const named: Values = [['name', name], ...values]
    const matches = named.flatMap(([field, value]) => {
      const match = value && text ? matchOf(value, text) : undefined
      return match && value ? [{ field, value, match }] : []
    })
    const [best] = matches.sort((one, other) => MATCHES.indexOf(one.match) - MATCHES.indexOf(other.match))
    return best ? [{ noun, id, name, parent, ...best }] : []
  })
  found.sort((one, other) => MATCHES.indexOf(one.match) - MATCHES.indexOf(other.match))
  return { items: found.slice(0, limit), has_more: found.length > limit, is_complete: true }
}
