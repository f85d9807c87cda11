/** What the mock does to arrays that stand, to volumes, and to their snapshots. */
import type {
  ArrayAddDisks,
  ArrayDiskChoice,
  ArrayGrow,
  ArrayPatch,
  ArrayReplace,
  ArrayReshape,
  ArrayForceStart,
  ArrayScrub,
  ArrayAddSpares,
  MemberRole,
  Plan,
  Snapshot,
  SnapshotClone,
  SnapshotCreate,
  StorageArray,
  Volume,
  VolumeGrow,
  VolumePatch,
} from '@/api'
import { json, plan, refusal } from './answers'
import type { Line, Planned, Shown } from './answers'
import { start } from './jobs'
import { MADE, freshId } from './made'
import { GIB, volume } from './storage'
import { batchVolumes } from './work'
import type { World } from './world'

function job(
  world: World,
  title: string,
  noun: string,
  detail: string,
  does: string,
  finish: () => void,
): Planned {
  const name = title.split(' ').at(-1) ?? ''
  return planned(world, plan(title, [['change', noun, name, detail]], { steps: [step(does)] }), noun, finish)
}

export const step = (description: string, bytes = 0): Plan['steps'][number] => ({
  kind: 'step',
  description,
  devices: [],
  bytes_destroyed: bytes,
  irreversible: bytes > 0,
})

export const planned = (world: World, found: Plan, noun: string, finish: () => void): Planned => ({
  plan: found,
  apply: () => start(world, found, noun, finish),
})

function join(
  world: World,
  array: StorageArray,
  id: string,
  state: string,
  slot: number | null,
  role: MemberRole = state === 'spare' ? 'spare' : 'data',
): void {
  const disk = world.disks.find((one) => one.id === id)
  if (!disk) return
  Object.assign(disk, { state: 'member', array: array.name, array_id: array.id, slot })
  array.members.push({ disk_id: id, serial: disk.serial, role, slot, state, leaving: false })
}

export const addDisks = (world: World, array: StorageArray, body: ArrayAddDisks): Planned => {
  const title = `Add disks to array ${array.name}`
  return job(world, title, 'array', `they become ${body.role} disks`, title, () => {
    for (const id of body.disks) join(world, array, id, 'in_sync', null, body.role)
  })
}

const memberOf = (array: StorageArray, id: string) => array.members.find((one) => one.disk_id === id)

export function addSpares(world: World, array: StorageArray, body: ArrayAddSpares): Planned | Response {
  if (!body.disks.length) return refusal('No spare was added', [['disks', 'choose one disk at least']])
  return job(world, `Add spares to array ${array.name}`, 'array', 'they become spares', 'add spares', () => {
    for (const id of body.disks) join(world, array, id, 'spare', null)
  })
}

export function reshape(world: World, array: StorageArray, { level, disks = [] }: ArrayReshape): Planned {
  const title = `Change array ${array.name} to ${level}`
  return job(world, title, 'array', `it becomes ${level}`, title, () => {
    for (const id of disks) join(world, array, id, 'rebuilding', array.members.length)
    array.level = level
  })
}

export function growArray(world: World, array: StorageArray, { disks }: ArrayGrow): Planned | Response {
  if (!disks.length)
    return refusal(`Array ${array.name} was not grown`, [['disks', 'choose one disk at least']])
  const title = `Grow array ${array.name}`
  return job(world, title, 'array', `${disks.length} disks become members`, title, () => {
    for (const id of disks) join(world, array, id, 'rebuilding', array.members.length)
    array.health = 'reshaping'
  })
}

export function replace(world: World, array: StorageArray, body: ArrayReplace): Planned {
  const title = `Replace disk ${body.disk} of array ${array.name}`
  return job(world, title, 'array', `disk ${body.new} takes its place`, `copy ${body.disk}`, () => {
    const old = memberOf(array, body.disk)
    array.members = array.members.filter((one) => one !== old)
    join(world, array, body.new, 'in_sync', old?.slot ?? null)
  })
}

const BECOMES = { fail: 'faulty', readd: 'in_sync', remove: '' }

export function changeDisk(verb: keyof typeof BECOMES) {
  return (world: World, array: StorageArray, { disk }: ArrayDiskChoice): Planned => {
    const words = { fail: 'Fail', readd: 'Take back', remove: 'Remove' }[verb]
    const title = `${words} disk ${disk} of array ${array.name}`
    return job(world, title, 'array', `disk ${disk}: ${words.toLowerCase()}`, title, () => {
      const member = memberOf(array, disk)
      if (verb === 'remove') array.members = array.members.filter((one) => one !== member)
      else if (member) member.state = BECOMES[verb]
    })
  }
}

export const forceStart = (world: World, array: StorageArray, { confirm }: ArrayForceStart): Planned => {
  const title = `Start array ${array.name} by force`
  const steps = [{ ...step(`start ${confirm}`), irreversible: true }]
  const found = plan(title, [['change', 'array', array.name, 'it starts']], { steps })
  return planned(world, found, 'array', () => {
    array.health = 'degraded'
    if (array.observed) array.observed.dirty_degraded = false
  })
}

export const scrub = (world: World, array: StorageArray, { action = 'check' }: ArrayScrub): Planned =>
  job(world, `Scrub array ${array.name}`, 'array', action, `${action} ${array.name}`, () => {
    if (!array.observed) return
    const progress = { action, percent: 1.5, rate_bytes_s: 900_000_000, left_s: 5400 }
    array.observed.progress = action === 'stop' ? null : progress
  })

export const patchArray = (
  _world: World,
  array: StorageArray,
  body: ArrayPatch,
): Planned<Shown<StorageArray>> => ({
  plan: plan(`Change array ${array.name}`, [['change', 'array', array.name, Object.keys(body).join(', ')]]),
  apply: () => {
    Object.assign(array, body)
    for (const row of array.tuning) {
      const chosen = array[row.name]
      if (chosen !== null) Object.assign(row, { value: String(chosen), automatic: false, why: 'chosen' })
    }
    return json(array)
  },
})

export function patchVolume(world: World, row: Volume, body: VolumePatch): Planned<Shown<Volume>> | Response {
  const what = `Volume ${row.name} was not changed`
  if (world.volumes.some((one) => one !== row && one.name === body.name))
    return refusal(what, [['name', `volume ${body.name} exists already`]], 409)
  return {
    plan: plan(`Change volume ${row.name}`, [['change', 'volume', row.name, Object.keys(body).join(', ')]]),
    apply: () => {
      row.name = body.name ?? row.name
      row.description = body.description ?? row.description
      return json(row)
    },
  }
}

export function growVolume(world: World, row: Volume, body: VolumeGrow): Planned | Response {
  const size = Number(body.size_bytes)
  if (size < row.size_bytes)
    return refusal(`Volume ${row.name} was not grown`, [['size_bytes', 'a volume never gets smaller']])
  const detail = `${row.size_bytes / GIB} GiB become ${size / GIB} GiB`
  return job(world, `Grow volume ${row.name}`, 'volume', detail, `grow ${row.name}`, () => {
    row.size_bytes = size
  })
}

export const snapshot = (name: string, change: Partial<Snapshot> = {}): Snapshot => ({
  id: `snapshot-${name}`,
  name,
  description: '',
  volume: 'vm01',
  volume_id: 'volume-38',
  size_bytes: 512 * GIB,
  state: 'ready',
  schedule: null,
  created_at: MADE,
  updated_at: MADE,
  ...change,
})

export const snapshots = (): Snapshot[] => [
  snapshot('before-upgrade', { description: 'Clean shutdown', created_at: '2026-11-20T18:02:00Z' }),
  snapshot('nightly-20', { schedule: 'nightly', created_at: '2026-11-20T01:00:00Z' }),
  snapshot('nightly-19', { schedule: 'nightly', created_at: '2026-11-19T01:00:00Z' }),
]

export function createSnapshot(world: World, body: SnapshotCreate): Planned | Response {
  const of = world.volumes.find(({ id, name }) => id === body.volume || name === body.volume)
  if (!of?.can_snapshot)
    return refusal('No snapshot was taken', [['volume', 'only a thin volume has snapshots']], 409)
  const title = `Take snapshot ${body.name}`
  const lines: Line[] = [['create', 'snapshot', body.name, `of volume ${of.name}`]]
  return planned(world, plan(title, lines, { steps: [step(title)] }), 'snapshot', () => {
    const made = { id: freshId('snapshot'), volume: of.name, volume_id: of.id, size_bytes: of.size_bytes }
    const now = { description: body.description ?? '', created_at: new Date().toISOString() }
    world.snapshots.push(snapshot(body.name, { ...made, ...now }))
  })
}

export function cloneSnapshot(world: World, row: Snapshot, body: SnapshotClone): Planned {
  const common = { array: 'tank', size_bytes: row.size_bytes }
  const specs = body.name_pattern
    ? batchVolumes({ ...common, name_pattern: body.name_pattern, count: body.count ?? 1 })
    : [{ ...common, name: body.name ?? '' }]
  const title = specs.length > 1 ? `Make ${specs.length} clones of ${row.name}` : `Clone ${row.name}`
  const lines = specs.map(({ name }): Line => ['create', 'volume', name, `clone of ${row.name}`])
  return planned(world, plan(title, lines, { steps: [step(title)] }), 'volume', () => {
    for (const { name } of specs)
      world.volumes.push(
        volume(world.volumes.length + 1, {
          id: freshId('volume'),
          name,
          provisioning: 'thin',
          can_snapshot: true,
          mapped_to: [],
          export: { state: 'none', reason: null },
        }),
      )
  })
}

export function deleteSnapshot(world: World, row: Snapshot): Planned {
  const lines: Line[] = [['destroy', 'snapshot', row.name, 'the moment is lost']]
  const more = { steps: [step(`delete ${row.name}`, row.size_bytes)], bytes_destroyed: row.size_bytes }
  return planned(world, plan(`Delete snapshot ${row.name}`, lines, more), 'snapshot', () => {
    world.snapshots = world.snapshots.filter((one) => one !== row)
  })
}
