/** What the array wizard holds, the disks it can choose from, and the body of the request it becomes. */
import type { ArrayCreate, Disk, EngineLevel, Level, Raid10Layout, WriteHole } from '@/api'

export interface ArrayDraft {
  name: string
  level: Level
  disks: string[]
  /** Bytes; 0 leaves the choice to the engine. */
  chunk: number
  /** Of raid10 only. */
  layout: Raid10Layout
  writeHole: WriteHole | 'default'
  /** Of an external device only; '' leaves its health unknown. */
  healthCommand: string
}

const KIB = 1024
export const CHUNKS = [16, 32, 64, 128, 256, 512, 1024].map((kib) => kib * KIB)

/** Disks that are interchangeable: one model, one size. */
export interface DiskGroup {
  key: string
  model: string
  size: number
  disks: Disk[]
}

/** Blank, or carrying something that a wipe may destroy. */
export const isCandidate = (disk: Disk): boolean =>
  disk.state === 'free' || (disk.state === 'occupied' && disk.wipeable)

/** Blank disks before those that would be wiped, so that "take four" takes blank ones first. */
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

/** The choice with exactly `count` disks of this group, the rest of it untouched. Only blank ones are taken by rule. */
export function take(chosen: readonly string[], group: DiskGroup, count: number): string[] {
  const ids = new Set(group.disks.map(({ id }) => id))
  const blank = group.disks.filter(({ state }) => state === 'free')
  return [...chosen.filter((id) => !ids.has(id)), ...blank.slice(0, count).map(({ id }) => id)]
}

/** Undefined while there is not enough to ask the API about. */
export function bodyOf(draft: ArrayDraft, disks: readonly Disk[]): ArrayCreate | undefined {
  if (!draft.name.trim() || !draft.disks.length) return undefined
  const wipe = disks
    .filter(({ id, state }) => draft.disks.includes(id) && state !== 'free')
    .map(({ id }) => id)
  const wish = { name: draft.name.trim(), level: draft.level, disks: draft.disks, wipe }
  if (draft.level === 'external')
    return {
      ...wish,
      engine: 'external',
      ...(draft.healthCommand && { health_command: draft.healthCommand }),
    }
  return {
    ...wish,
    ...(draft.chunk && draft.level !== 'raid1' && { chunk_bytes: draft.chunk }),
    ...(draft.level === 'raid10' && { layout: draft.layout }),
    ...(draft.writeHole !== 'default' && { write_hole: draft.writeHole }),
  }
}

/** The usual level for so many disks, where the engine offers it. */
export function suggestLevel(count: number, levels: readonly EngineLevel[]): Level | undefined {
  const wanted: Level = count >= 8 ? 'raid6' : count >= 3 ? 'raid5' : 'raid1'
  return levels.find(({ level, min_disks }) => level === wanted && min_disks <= count)?.level
}

/** The first of tank, tank2, tank3 … that no array has. */
export function freeName(taken: readonly string[]): string {
  let name = 'tank'
  for (let number = 2; taken.includes(name); number += 1) name = `tank${number}`
  return name
}
