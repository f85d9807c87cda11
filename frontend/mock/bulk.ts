/** What the mock does to many volumes at once, all or nothing. */
import type {
  DeletedSnapshot,
  DeletedSnapshotBatch,
  DeletedVolume,
  DeletedVolumeBatch,
  Host,
  HostDeleteBatch,
  Mapping,
  MappingDeleteBatch,
  SnapshotBatch,
  SnapshotDeleteBatch,
  Volume,
  VolumeDeleteBatch,
} from '@/api'
import { noContent, plan, refusal } from './answers'
import type { Gone, Line, Planned, Wrong } from './answers'
import { planned, snapshot, step } from './care'
import { recorded } from './journal'
import { freshId } from './made'
import * as mappings from './mappings'
import * as trash from './trash'
import { mappedTo, unmappedFrom } from './work'
import type { World } from './world'

interface Row {
  id: string
  name?: string
}

const rowsOf = <One extends Row>(rows: readonly One[], ids: readonly string[]): (One | undefined)[] =>
  ids.map((id) => rows.find((one) => one.id === id || one.name === id))

const of = (world: World, ids: readonly string[]) => rowsOf(world.volumes, ids)

function inTheWay<One extends Row>(
  found: readonly (One | undefined)[],
  reason: (one: One) => string | Wrong | undefined,
  noun = 'volume',
  nameOf = (one: One | undefined) => one?.name,
): Wrong[] {
  return found.flatMap((one, index): Wrong[] => {
    const wrong = one ? reason(one) : `there is no such ${noun}`
    if (!wrong) return []
    const [message, blockers] = typeof wrong === 'string' ? [wrong, []] : [wrong[1], wrong[2]]
    return [[`${noun}s[${index}]`, `${noun} ${nameOf(one)}: ${message}`, blockers]]
  })
}

const there = <One>(found: readonly (One | undefined)[]): One[] => found.filter((one) => one !== undefined)

export function deleteVolumes(world: World, body: VolumeDeleteBatch): Planned | Response {
  const found = of(world, body.volumes)
  const wrong = inTheWay(found, (one) => (one.mapped_to.length && !body.cascade ? mappedTo(one) : undefined))
  if (wrong.length) return refusal('No volume was deleted', wrong, 409)
  const volumes = there(found)
  const lines: Line[] = [
    ...volumes.flatMap(unmappedFrom),
    ...volumes.map(({ name }): Line => ['destroy', 'volume', name, 'it can be recovered for 24 hours']),
  ]
  const title = `Delete ${volumes.length} volumes`
  const steps = volumes.map(({ name }) => step(`set volume ${name} aside`))
  return planned(world, plan(title, lines, { steps }), 'volume', () => {
    world.volumes = world.volumes.filter((one) => !volumes.includes(one))
  })
}

export function takeSnapshots(world: World, body: SnapshotBatch): Planned | Response {
  const found = of(world, body.volumes)
  const wrong = inTheWay(found, (one) => (one.can_snapshot ? undefined : 'only a thin volume has snapshots'))
  if (wrong.length) return refusal('No snapshot was taken', wrong, 422)
  const volumes = there(found)
  const onLvm = volumes.find(({ array }) => world.arrays.find(({ name }) => name === array)?.engine !== 'zfs')
  const apart = `volume ${onLvm?.name} is on an array whose engine takes snapshots one after the other`
  if (body.atomic && onLvm) return refusal('No snapshot was taken', [['atomic', apart]], 422)
  const nameOf = ({ name }: Volume) => (body.name ?? '{volume}').replace('{volume}', name)
  const lines: Line[] = volumes.map((one) => ['create', 'snapshot', nameOf(one), `of volume ${one.name}`])
  const title = `Take snapshots of ${volumes.length} volumes`
  return planned(world, plan(title, lines, { steps: [step(title)] }), 'snapshot', () => {
    for (const one of volumes)
      world.snapshots.push(
        snapshot(nameOf(one), { id: freshId('snapshot'), volume: one.name, volume_id: one.id }),
      )
  })
}

const pairOf = (row?: Mapping) => `of volume ${row?.volume} to ${row?.host ?? row?.host_group}`

export function deleteMappings(world: World, body: MappingDeleteBatch): Planned<Gone> | Response {
  const found = rowsOf(world.mappings, body.mappings)
  const isBusy = ({ volume }: Mapping) =>
    world.volumes.some((one) => one.name === volume && one.state !== 'ready')
  const reason = (row: Mapping) => (isBusy(row) ? `Volume ${row.volume} is changing now` : undefined)
  const wrong = inTheWay(found, reason, 'mapping', pairOf)
  return wrong.length
    ? refusal('No volume was unmapped', wrong, 409)
    : mappings.deleteMappings(world, there(found))
}

export function deleteSnapshots(world: World, body: SnapshotDeleteBatch): Planned | Response {
  const found = rowsOf(world.snapshots, body.snapshots)
  const reason = ({ state }: { state: string }) => (state === 'ready' ? undefined : `it is ${state} now`)
  const wrong = inTheWay(found, reason, 'snapshot')
  if (wrong.length) return refusal('No snapshot was deleted', wrong, 409)
  const rows = there(found)
  const lines = rows.map(({ name }): Line => [
    'destroy',
    'snapshot',
    name,
    'it can be recovered for 24 hours',
  ])
  const steps = rows.map(({ name }) => step(`set snapshot ${name} aside`))
  return planned(world, plan(`Delete ${rows.length} snapshots`, lines, { steps }), 'snapshot', () => {
    world.snapshots = world.snapshots.filter((one) => !rows.includes(one))
  })
}

export function deleteHosts(world: World, body: HostDeleteBatch): Planned<Gone> | Response {
  const found = rowsOf(world.hosts, body.hosts)
  const owned = world.mappings.filter(({ host_id: id }) => there(found).some((one) => one.id === id))
  const reason = (row: Host): Wrong | undefined => {
    const volumes = owned.filter(({ host_id: id }) => id === row.id)
    if (!volumes.length || body.cascade) return undefined
    const blockers = volumes.map(({ volume: name, volume_id: id }) => ({ noun: 'volume', id, name }))
    return ['', `it has ${volumes.length} mappings; delete them first`, blockers]
  }
  const wrong = inTheWay(found, reason, 'host')
  if (wrong.length) return refusal('No host was deleted', wrong, 409)
  const rows = there(found)
  const lines = rows.map(({ name }): Line => ['destroy', 'host', name, 'its initiators are deleted'])
  const unmapped = owned.map((row): Line => [
    'destroy',
    'mapping',
    row.volume,
    `${row.host} loses LUN ${row.lun}`,
  ])
  const title = `Delete ${rows.length} hosts`
  const undo = () => void world.hosts.push(...rows)
  return {
    plan: plan(title, [...unmapped, ...lines]),
    apply: () => {
      for (const row of owned) mappings.take(world, row)
      world.hosts = world.hosts.filter((one) => !rows.includes(one))
      return owned.length ? noContent() : { ...noContent(), headers: recorded(world, 'host', title, undo) }
    },
  }
}

/** One job of many that the mock has one by one. */
function together<One extends Row>(
  world: World,
  found: readonly (One | undefined)[],
  words: { noun: 'volume' | 'snapshot'; title: string; refusal: string },
  reason: (one: One) => string | undefined,
  single: (one: One) => Planned,
): Planned | Response {
  const wrong = inTheWay(found, reason, `deleted ${words.noun}`)
  if (wrong.length) return refusal(words.refusal, wrong, 409)
  const parts = there(found).map(single)
  const whole = plan(
    words.title,
    parts
      .flatMap((part) => part.plan.changes)
      .map(({ action, noun, name, detail }) => [action, noun, name, detail]),
    { steps: parts.flatMap((part) => part.plan.steps) },
  )
  return planned(world, whole, words.noun, () => {
    for (const part of parts) {
      const { id } = part.apply().body
      world.finishing.get(id)?.()
      world.finishing.delete(id)
      world.jobs = world.jobs.filter((job) => job.id !== id)
    }
  })
}

export function recoverVolumes(world: World, { deleted_volumes: ids }: DeletedVolumeBatch) {
  const words = {
    noun: 'volume' as const,
    title: `Recover ${ids.length} volumes`,
    refusal: 'No volume was recovered',
  }
  const reason = ({ name }: DeletedVolume) =>
    world.volumes.some((one) => one.name === name)
      ? `another volume is now named ${name}; recover this one under a new name`
      : undefined
  return together(world, rowsOf(world.deletedVolumes, ids), words, reason, (row) =>
    trash.recover(world, row, {}),
  )
}

export function eraseVolumes(world: World, { deleted_volumes: ids }: DeletedVolumeBatch) {
  const title = `Erase ${ids.length} deleted volumes`
  const words = { noun: 'volume' as const, title, refusal: 'No deleted volume was erased' }
  const none = () => undefined
  return together(world, rowsOf(world.deletedVolumes, ids), words, none, (row) => trash.erase(world, row))
}

export function recoverSnapshots(world: World, { deleted_snapshots: ids }: DeletedSnapshotBatch) {
  const title = `Recover ${ids.length} snapshots`
  const words = { noun: 'snapshot' as const, title, refusal: 'No snapshot was recovered' }
  const reason = ({ volume, volume_deleted: isGone }: DeletedSnapshot) =>
    isGone ? `its volume ${volume} was deleted after it; recover the volume first` : undefined
  const rows = rowsOf(world.deletedSnapshots, ids)
  return together(world, rows, words, reason, (row) => trash.recoverSnapshot(world, row, {}))
}

export function eraseSnapshots(world: World, { deleted_snapshots: ids }: DeletedSnapshotBatch) {
  const title = `Erase ${ids.length} deleted snapshots`
  const words = { noun: 'snapshot' as const, title, refusal: 'No deleted snapshot was erased' }
  const rows = rowsOf(world.deletedSnapshots, ids)
  return together(
    world,
    rows,
    words,
    () => undefined,
    (row) => trash.eraseSnapshot(world, row),
  )
}
