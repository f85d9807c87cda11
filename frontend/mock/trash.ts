/** What the mock does to deleted volumes. */
import type { DeletedVolume, VolumeRecover } from '@/api'
import { plan } from './answers'
import type { Wish } from './answers'
import { planned, step } from './care'
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

export function recover(world: World, row: DeletedVolume, body: VolumeRecover): Wish {
  const name = body.name ?? row.name
  const lines: Parameters<typeof plan>[1] = [['create', 'volume', name, 'with its data and identity']]
  return planned(world, plan(`Recover volume ${row.name}`, lines), 'volume', () => {
    without(world, row)
    world.volumes.push(volume(99, { id: row.id, name, mapped_to: [] }))
  })
}

export function erase(world: World, row: DeletedVolume): Wish {
  const more = { steps: [step(`delete volume ${row.name}`, row.size_bytes)], bytes_destroyed: row.size_bytes }
  const lines: Parameters<typeof plan>[1] = [['destroy', 'deleted volume', row.name, 'its data are lost']]
  return planned(world, plan(`Erase deleted volume ${row.name}`, lines, more), 'volume', () => {
    without(world, row)
  })
}
