/** Disks for an array, grouped by what is interchangeable, and chosen from a group by rule. */
import type { Disk } from '@/api'

/** Disks that are interchangeable: one model, one size. */
export interface DiskGroup {
  key: string
  model: string
  size: number
  disks: Disk[]
}

/** Blank, or with content that a wipe may destroy. */
export const isCandidate = (disk: Disk): boolean =>
  disk.state === 'free' || (disk.state === 'occupied' && disk.wipeable)

/** The order of offered replacements: blank first, then large enough, then in good health. */
export function replacementFor(leaving: { disk_id: string }, disks: readonly Disk[]): Disk | undefined {
  const needed = disks.find(({ id }) => id === leaving.disk_id)?.size_bytes ?? 0
  const drawbacks = ({ state, size_bytes: size, health }: Disk): number =>
    4 * Number(state !== 'free') +
    2 * Number((size ?? 0) < needed) +
    Number(health?.state === 'failing' || health?.state === 'warning')
  return disks.filter(isCandidate).sort((one, other) => drawbacks(one) - drawbacks(other))[0]
}

/** Blank disks before those that would be wiped, so that a number of disks takes blank ones first. */
export function groupDisks(disks: readonly Disk[]): DiskGroup[] {
  const groups = new Map<string, DiskGroup>()
  for (const disk of disks.filter(isCandidate)) {
    const key = `${disk.model} ${disk.size_bytes}`
    const group = groups.get(key) ?? {
      key,
      model: disk.model ?? disk.id,
      size: disk.size_bytes ?? 0,
      disks: [],
    }
    group.disks.push(disk)
    groups.set(key, group)
  }
  for (const group of groups.values())
    group.disks.sort((a, b) => Number(b.state === 'free') - Number(a.state === 'free'))
  return [...groups.values()].sort((a, b) => b.disks.length - a.disks.length)
}

/** The place of a disk, as far as the machine reports it: disks in one place fail or slow down together. */
export const placeOf = (disk: Disk): string => String(disk.observed?.numa_node ?? '')

/** Disks of each place in turn, so that any number of them is spread evenly. */
export function spread(disks: readonly Disk[]): Disk[] {
  const places = new Map<string, Disk[]>()
  for (const disk of disks) places.set(placeOf(disk), [...(places.get(placeOf(disk)) ?? []), disk])
  const lines = [...places.values()]
  const longest = Math.max(0, ...lines.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => lines.flatMap((line) => line[turn] ?? [])).flat()
}

const ENOUGH = 2

/**
 * The disks to recommend: the most that are of one kind and blank. Disks with content are among them only where there are
 * no two blank ones; each needs consent before it is wiped. A failing disk is none to begin with.
 */
export function recommended(disks: readonly Disk[]): string[] {
  const groups = groupDisks(disks.filter(({ health }) => health?.state !== 'failing'))
  const [blank = []] = groups
    .map((group) => group.disks.filter(({ state }) => state === 'free'))
    .sort((one, other) => other.length - one.length)
  const chosen = blank.length >= ENOUGH ? blank : (groups[0]?.disks ?? [])
  return spread(chosen).map(({ id }) => id)
}

/** The choice with exactly `count` disks of this group, the rest unchanged. Only blank ones are chosen by rule. */
export function take(
  chosen: readonly string[],
  group: DiskGroup,
  count: number,
  elsewhere: ReadonlySet<string> = new Set(),
): string[] {
  const ids = new Set(group.disks.map(({ id }) => id))
  const blank = group.disks.filter(({ id, state }) => state === 'free' && !elsewhere.has(id))
  return [
    ...chosen.filter((id) => !ids.has(id)),
    ...spread(blank)
      .slice(0, count)
      .map(({ id }) => id),
  ]
}

/** The chosen disks with content: each needs consent before it is wiped. */
export const toWipe = (chosen: readonly string[], disks: readonly Disk[]): Disk[] =>
  disks.filter((disk) => chosen.includes(disk.id) && isCandidate(disk) && disk.state !== 'free')
