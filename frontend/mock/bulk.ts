/** What the mock does to many volumes at once, all or nothing. */
import type { SnapshotBatch, Volume, VolumeDeleteBatch } from '@/api'
import { plan, refusal } from './answers'
import type { Line, Planned, Wrong } from './answers'
import { planned, snapshot, step } from './care'
import { freshId } from './made'
import { mappedTo, unmappedFrom } from './work'
import type { World } from './world'

const of = (world: World, ids: readonly string[]): (Volume | undefined)[] =>
  ids.map((id) => world.volumes.find((one) => one.id === id || one.name === id))

type Reason = (volume: Volume) => string | Wrong | undefined

const inTheWay = (found: (Volume | undefined)[], reason: Reason): Wrong[] =>
  found.flatMap((one, index): Wrong[] => {
    const wrong = one ? reason(one) : 'there is no such volume'
    if (!wrong) return []
    const [message, blockers] = typeof wrong === 'string' ? [wrong, []] : [wrong[1], wrong[2]]
    return [[`volumes[${index}]`, `volume ${one?.name}: ${message}`, blockers]]
  })

export function deleteVolumes(world: World, body: VolumeDeleteBatch): Planned | Response {
  const found = of(world, body.volumes)
  const wrong = inTheWay(found, (one) => (one.mapped_to.length && !body.cascade ? mappedTo(one) : undefined))
  if (wrong.length) return refusal('No volume was deleted', wrong, 409)
  const volumes = found.filter((one) => one !== undefined)
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
  const volumes = found.filter((one) => one !== undefined)
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
