/** What the mock does to a disk by itself: its light, and the end of what is on it. */
import type { Disk, DiskLocateRequest, DiskWipeRequest } from '@/api'
import { plan, refusal } from './answers'
import type { Planned } from './answers'
import { planned, step } from './care'
import type { World } from './world'

export function locate(world: World, disk: Disk, { off = false }: DiskLocateRequest): Planned | Response {
  const place = disk.observed?.place
  if (!place || place.is_located === null)
    return refusal(`Disk ${disk.id} has no light`, [['disk', 'it sits in no bay with a light']], 409)
  const title = `Turn ${off ? 'off' : 'on'} the light of disk ${disk.id}`
  const detail = `its light is turned ${off ? 'off' : 'on'}`
  return planned(
    world,
    plan(title, [['change', 'disk', disk.id, detail]], { steps: [step(title)] }),
    'disk',
    () => {
      place.is_located = !off
    },
  )
}

export function wipe(world: World, disk: Disk, { confirm, method }: DiskWipeRequest): Planned | Response {
  const what = `Disk ${disk.id} was not wiped`
  if (disk.state !== 'free' && !disk.wipeable)
    return refusal(
      what,
      [['disk', `it is in use: ${disk.occupied_by ?? `it is part of array ${disk.array}`}`]],
      409,
    )
  if (confirm !== disk.serial)
    return refusal(what, [['confirm', `must be the serial number of the disk, ${disk.serial}`]])
  const title = `Wipe disk ${disk.id}`
  const steps = [step(`${method} disk ${disk.id}`, disk.size_bytes ?? 0)]
  const more = { steps, devices: [disk.id], bytes_destroyed: disk.size_bytes ?? 0 }
  return planned(world, plan(title, [['destroy', 'disk', disk.id, 'all data is lost']], more), 'disk', () => {
    Object.assign(disk, { state: 'free', occupied_by: null, wipeable: false })
    if (disk.observed) disk.observed.signatures = []
  })
}
