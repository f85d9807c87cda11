/** An appliance after its installation: disks, and nothing created from them. */
import { loggedIn } from './world'
import type { World } from './world'

export function freshlyInstalled(): World {
  const world = loggedIn()
  for (const disk of world.disks) Object.assign(disk, { state: 'free', array: null, slot: null })
  const none = { arrays: 0, volumes: 0, hosts: 0, host_groups: 0, portals: 0, mappings: 0, sessions: 0 }
  world.status = { ...world.status, counts: { ...world.status.counts, ...none } }
  const empty = {
    arrays: [],
    volumes: [],
    hosts: [],
    hostGroups: [],
    portals: [],
    mappings: [],
    sessions: [],
  }
  return Object.assign(world, empty)
}
