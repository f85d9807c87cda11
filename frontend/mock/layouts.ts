/** What the mock says could be made of disks, and which role each of a creation has. */
import type {
  ArrayCreateWritable,
  ArrayEngine,
  ArrayMember,
  Disk,
  EngineLevel,
  Layout,
  Layouts,
  MemberRole,
} from '@/api'
import type { World } from './world'

const LOST: Record<string, (disks: number) => number> = {
  raid1: (disks) => disks - 1,
  mirror: (disks) => disks - 1,
  raid4: () => 1,
  raid5: () => 1,
  raid6: () => 2,
  raid10: () => 1,
  raidz1: () => 1,
  raidz2: () => 2,
  raidz3: () => 3,
  draid1: () => 1,
  draid2: () => 2,
  draid3: () => 3,
}
const losses = (level: string, disks: number): number => LOST[level]?.(disks) ?? 0

/** How many disks' worth of data so many disks hold. */
export function dataDisks(level: string, disks: number): number {
  if (level === 'raid10') return disks / 2
  const spare = level.startsWith('draid') ? 1 : 0
  return disks - losses(level, disks) - spare
}

const RAW_BYTES_S = 200 * 2 ** 20

function layout(engine: ArrayEngine, one: EngineLevel, disks: Disk[], copies: Layout['layout']): Layout {
  const sizes = disks.map(({ size_bytes }) => size_bytes ?? 0)
  const hasCache = disks.some(({ observed }) => observed?.write_cache)
  const possible = sizes.length >= one.min_disks && sizes.length <= one.max_disks
  const least = Math.min(...sizes)
  const usable = possible ? least * dataDisks(one.level, sizes.length) : null
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const lost = losses(one.level, sizes.length)
  return {
    engine,
    level: one.level,
    layout: copies,
    groups: one.level.startsWith('draid') && possible ? `${one.level}:2d:${sizes.length}c:1s` : null,
    possible,
    problem: possible ? null : `${engine} ${one.level} takes ${one.min_disks} to ${one.max_disks} disks`,
    usable_bytes: usable,
    usable_percent: usable && Math.round((10_000 * usable) / total) / 100,
    survives: copies?.endsWith('3') ? 'any two disks' : one.survives_failures,
    survives_disks: possible && one.level !== 'external' ? lost : null,
    small_write_ios: possible ? one.small_write_ios : null,
    write_hole: one.write_hole.filter((policy) => policy !== 'ppl' || !hasCache),
    integrity_usable_bytes: usable && one.options.includes('integrity') ? Math.round(usable * 0.992) : null,
    min_rebuild_s: possible && lost ? least / RAW_BYTES_S : null,
    warnings:
      possible && ['raid1', 'mirror'].includes(one.level) && sizes.length > 3
        ? [
            `A mirror of ${sizes.length} disks stores ${sizes.length} copies of all data and has the capacity of one disk. ` +
              `${one.level === 'mirror' ? "md's raid10" : 'raid10'} stripes over mirrors; or create several arrays of 2 or 3 disks.`,
          ]
        : [],
  }
}

const ENGINES: ArrayEngine[] = ['md', 'zfs', 'lvm', 'external']
const levelsOf = (world: World, engine: ArrayEngine): EngineLevel[] =>
  world.engines.find((one) => one.engine === engine)?.levels ?? []

/** What each level of each engine would give of the disks in the query. */
export function layouts(world: World, ids: readonly string[]): Layouts {
  const disks = world.disks.filter(({ id }) => ids.includes(id))
  return {
    disks: [],
    total_bytes: disks.reduce((sum, { size_bytes }) => sum + (size_bytes ?? 0), 0),
    block_bytes: 16_384,
    layouts: ENGINES.flatMap((engine) =>
      levelsOf(world, engine).flatMap((one) =>
        (one.layouts.length ? one.layouts : [null]).map((copies) => layout(engine, one, disks, copies)),
      ),
    ),
  }
}

/** The disks beside the data of a creation, each with its role. */
export const besideOf = (body: ArrayCreateWritable): { id: string; role: MemberRole }[] => [
  ...(body.spares ?? []).map((id) => ({ id, role: 'spare' as const })),
  ...(['log', 'cache', 'special'] as const).flatMap((role) => (body[role] ?? []).map((id) => ({ id, role }))),
]

export const memberOf = (world: World, id: string, role: MemberRole): ArrayMember => ({
  disk_id: id,
  serial: world.disks.find((disk) => disk.id === id)?.serial ?? id,
  role,
  slot: null,
  state: role === 'spare' ? 'spare' : 'in_sync',
  leaving: false,
})
