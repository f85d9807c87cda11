/** What stands on each line of the picture, where it leads, and what a screen reader says. */
import { useI18n } from 'vue-i18n'
import type { RouteLocationRaw } from 'vue-router'
import { levelName } from '@/features/arrays/arrayState'
import { placeOf } from '@/ui/places'
import { usePreferences } from '@/session/preferences'
import { formatBytes, formatCount } from '@/ui/format'
import type { Line } from './topologyFold'
import { ownerFocus } from './topologyGraph'
import type { GraphNode } from './topologyGraph'

/** "esx1" of `iqn.1998-01.com.vmware:esx1`: what tells names of one kind apart. */
export const tail = (name: string): string => name.slice(name.lastIndexOf(':', name.length - 2) + 1)

/** "lun01 … 20" of lun01 and lun20: the end without what it has in common with the start. */
export function range(first: string, last: string): string {
  let same = 0
  while (same < last.length && first[same] === last[same] && !/\d/.test(first[same] ?? '')) same += 1
  return `${first} … ${last.slice(same)}`
}

const focused = (focus: string): RouteLocationRaw => ({ name: 'topology', query: { focus } })

/** The page about one thing. */
export function pageOf(node: GraphNode): RouteLocationRaw {
  const { column, name, disk, mapping } = node
  if (disk) return placeOf('disk', { name: disk.id })
  if (mapping || column === 'mapping') return { name: 'mappings', query: { volume: mapping?.volume ?? name } }
  return placeOf(column, { name })
}

/** What all of a fold have in common and is a thing itself: their array, or the host they are for. */
export function focusOfFold({ members, column }: Line): string | undefined {
  const common = members.map((node) => {
    if (column === 'disk') return node.disk?.array ? `array/${node.disk.array}` : undefined
    if (column === 'mapping') return node.mapping && ownerFocus(node.mapping)
    if (column === 'session') return node.focus
    const owner = node.volume?.mapped_to[0]
    return owner ? ownerFocus(owner) : node.volume && `array/${node.volume.array}`
  })
  const [first] = common
  if (common.every((one) => one === first)) return first
  const arrays = new Set(members.map(({ volume }) => volume?.array))
  const [array] = arrays
  return arrays.size === 1 && array !== undefined ? `array/${array}` : undefined
}

const LISTS = {
  disk: 'disks',
  array: 'arrays',
  volume: 'volumes',
  mapping: 'mappings',
  host: 'hosts',
  session: 'sessions',
} as const

export function useLineWords() {
  const { t } = useI18n()
  const preferences = usePreferences()

  const isFolded = (line: Line): boolean => line.members.length > 1

  function nameOf(line: Line): string {
    const [node] = line.members
    const count = line.members.length
    if (count > 1 && node.mapping)
      return t(`topology.numbers.${node.mapping.family}`, { count: formatCount(count) })
    if (count > 1) return t(`topology.things.${line.column}`, { count: formatCount(count) }, count)
    return node.column === 'session' ? tail(node.name) || t('topology.noInitiator') : node.name
  }

  /** Of a fold in which some are worse than others, how many are well: "7 of 8 in sync". */
  function wordOf({ members, worst, tone }: Line): string {
    const well = members.filter((node) => node.tone === 'good')
    if (tone === 'good' || tone === 'quiet' || !well[0]) return t(worst.word)
    const all = members.filter((node) => node.tone !== 'quiet')
    return t('topology.wellOf', {
      count: formatCount(well.length),
      all: formatCount(all.length),
      word: t(well[0].word).toLowerCase(),
    })
  }

  /** The second row; none where the name says it all and nothing is wrong. */
  function subOf(line: Line): string | undefined {
    const [node] = line.members
    const isQuiet = line.tone === 'good' || line.tone === 'quiet'
    if (isFolded(line) && node.disk) return wordOf(line)
    if (isFolded(line)) {
      const last = line.members.at(-1) ?? node
      const names =
        line.column === 'mapping'
          ? (node.mapping?.host ?? node.mapping?.host_group ?? '')
          : range(tail(node.name), tail(last.name))
      const isPlain = isQuiet && line.column !== 'session'
      return isPlain ? names : `${wordOf(line)} · ${names}`
    }
    if (node.array) return `${levelName(node.array.level)} · ${t(node.word)}`
    if (node.sessions?.[0]) {
      const [session] = node.sessions
      return [
        t(`protocols.${session.protocol}`),
        session.peer,
        node.sessions.length > 1 && `× ${node.sessions.length}`,
      ]
        .filter(Boolean)
        .join(' · ')
    }
    if (node.column === 'session') return node.name ? t(node.word) : undefined
    if (node.mapping?.host_group) return isQuiet ? node.mapping.host_group : t(node.word)
    return isQuiet ? undefined : t(node.word)
  }

  const asideOf = ({ members: [node, ...others] }: Line): string | undefined =>
    others.length || !node.volume || node.isBroken
      ? undefined
      : formatBytes(node.volume.size_bytes, preferences.sizes)

  /** For a screen reader and as a tooltip: what it is, how it is, and why. */
  function labelOf(line: Line): string {
    const [node] = line.members
    const kind = isFolded(line) ? nameOf(line) : `${t(`topology.kinds.${line.column}`)} ${node.name}`
    const whose =
      !isFolded(line) && node.mapping
        ? `${node.mapping.volume} → ${node.mapping.host ?? node.mapping.host_group}`
        : ''
    const words = [kind.trim(), whose, wordOf(line), line.isBroken && t('topology.breaksHere'), node.reason]
    return words.filter(Boolean).join(', ')
  }

  /** Shows what hangs on it; where that is shown already, or is nothing of its own, its page. */
  function targetOf(line: Line, focus: string): RouteLocationRaw {
    const [node] = line.members
    const next = isFolded(line) ? focusOfFold(line) : node.focus
    if (next !== undefined && next !== focus) return focused(next)
    if (!isFolded(line)) return pageOf(node)
    const owner = node.mapping ?? node.volume?.mapped_to[0]
    const isOfHost = owner && (line.column === 'mapping' || line.column === 'volume')
    if (isOfHost) return { name: 'mappings', query: { host: owner.host ?? owner.host_group ?? undefined } }
    return { name: LISTS[line.column] }
  }

  return { isFolded, nameOf, subOf, asideOf, labelOf, targetOf }
}
