/** What the mock does to deleted volumes, and to volumes that go back to a snapshot. */
import type {
  DeletedSnapshot,
  DeletedVolume,
  SnapshotRecover,
  Volume,
  VolumeRecover,
  VolumeRollBack,
} from '@/api'
import { plan, refusal } from './answers'
import type { Line, Planned } from './answers'
import { planned, snapshot, step } from './care'
import { MADE } from './made'
import { GIB, volume } from './storage'
import type { World } from './world'

export const deletedVolume = (change: Partial<DeletedVolume> = {}): DeletedVolume => {
  const {
    id,
    name,
    description,
    array,
    array_id,
    size_bytes,
    provisioning,
    uuid,
    serial,
    naa,
    nguid,
    eui64,
  } = volume(99, { id: 'deleted-1', name: 'old-data', provisioning: 'thin' })
  return {
    ...{ id, name, description, array, array_id, size_bytes, provisioning, uuid, serial, naa, nguid, eui64 },
    held_bytes: 128 * GIB,
    state: 'ready',
    deleted_at: '2026-11-20T18:00:00Z',
    erase_at: '2026-11-21T18:00:00Z',
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

function without(world: World, row: DeletedVolume): void {
  world.deletedVolumes = world.deletedVolumes.filter((one) => one !== row)
}

export function recover(world: World, row: DeletedVolume, body: VolumeRecover): Planned {
  const name = body.name ?? row.name
  const lines: Line[] = [['create', 'volume', name, 'with its data and identity']]
  return planned(world, plan(`Recover volume ${row.name}`, lines), 'volume', () => {
    without(world, row)
    world.volumes.push(volume(99, { id: row.id, name, mapped_to: [] }))
  })
}

export function erase(world: World, row: DeletedVolume): Planned {
  const more = { steps: [step(`delete volume ${row.name}`, row.size_bytes)], bytes_destroyed: row.size_bytes }
  const lines: Line[] = [['destroy', 'deleted volume', row.name, 'its data are lost']]
  return planned(world, plan(`Erase deleted volume ${row.name}`, lines, more), 'volume', () => {
    without(world, row)
  })
}

export const deletedSnapshot = (change: Partial<DeletedSnapshot> = {}): DeletedSnapshot => {
  const {
    id,
    name,
    description,
    volume: of,
    volume_id,
    size_bytes,
  } = snapshot('before-update', { id: 'deleted-s1' })
  return {
    ...{ id, name, description, volume: of, volume_id, size_bytes, volume_deleted: false, state: 'ready' },
    deleted_at: '2026-11-20T18:00:00Z',
    erase_at: '2026-11-21T18:00:00Z',
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

export function recoverSnapshot(world: World, row: DeletedSnapshot, body: SnapshotRecover): Planned {
  const name = body.name ?? row.name
  const lines: Line[] = [['create', 'snapshot', name, `of volume ${row.volume}, unchanged`]]
  return planned(world, plan(`Recover snapshot ${row.name}`, lines), 'snapshot', () => {
    world.deletedSnapshots = world.deletedSnapshots.filter((one) => one !== row)
    world.snapshots.push(snapshot(name, { id: row.id }))
  })
}

export function eraseSnapshot(world: World, row: DeletedSnapshot): Planned {
  const lines: Line[] = [['destroy', 'deleted snapshot', row.name, 'what it alone holds is lost']]
  const more = { steps: [{ ...step(`delete snapshot ${row.name}`), irreversible: true }] }
  return planned(world, plan(`Erase deleted snapshot ${row.name}`, lines, more), 'snapshot', () => {
    world.deletedSnapshots = world.deletedSnapshots.filter((one) => one !== row)
  })
}

export function rollBack(world: World, row: Volume, body: VolumeRollBack): Planned | Response {
  if (row.mapped_to.length)
    return refusal(
      `Volume ${row.name} was not rolled back`,
      [['volume', `it is mapped to ${row.mapped_to[0]?.host}; unmap it first`]],
      409,
    )
  const to = world.snapshots.find(({ id }) => id === body.snapshot)?.name ?? body.snapshot
  const title = `Roll back volume ${row.name}`
  const keep = body.keep ?? true
  const lost = keep ? 0 : row.size_bytes
  const more = { steps: [step(`roll back to ${to}`, lost)], bytes_destroyed: lost }
  const detail = keep ? 'what it holds now becomes a deleted volume' : `what was written since ${to} is lost`
  const lines: Line[] = [['destroy', 'volume', row.name, detail]]
  return planned(world, plan(title, lines, more), 'volume', () => {
    if (keep) world.deletedVolumes.push(deletedVolume({ id: `kept-${row.name}`, name: row.name }))
  })
}
