/** What the mock has of each noun: its rows, and what is created, changed, asked by a verb, and deleted. */
import type { Row, Wish } from './answers'
import * as alerts from './alerts'
import { undoEvent } from './journal'
import * as bulk from './bulk'
import * as care from './care'
import * as clock from './clock'
import * as encryption from './encryption'
import * as fc from './fc'
import * as hosts from './hosts'
import * as interfaces from './interfaces'
import * as mappings from './mappings'
import * as people from './people'
import { disconnect } from './sessions'
import { forget, release } from './takeover'
import * as ways from './ways'
import * as trash from './trash'
import * as whole from './whole'
import * as work from './work'
import type { World } from './world'

/** What a request with this body would do to this row. The body's type is the generated one of that operation. */
type Change = (row: never, body: never) => Wish | Response

/** The rows behind each list of the API. */
export const LISTS = (world: World): Record<string, Row[]> => ({
  disks: world.disks,
  arrays: world.arrays,
  volumes: world.volumes,
  'deleted-volumes': world.deletedVolumes,
  'deleted-snapshots': world.deletedSnapshots,
  snapshots: world.snapshots,
  hosts: world.hosts,
  'host-groups': world.hostGroups,
  portals: world.portals,
  mappings: world.mappings,
  sessions: world.sessions,
  jobs: world.jobs,
  events: world.events,
  alerts: world.alerts,
  users: world.users,
  tokens: world.tokens,
  logins: world.logins,
  engines: world.engines,
  'rdma-devices': world.rdmaDevices,
  'foreign-arrays': world.foreignArrays,
  initiators: world.initiators,
  'fc-ports': world.fcPorts,
  interfaces: world.interfaces,
  schedules: world.schedules,
})

export const CREATES = (world: World): Record<string, (body: never) => Wish | Response> => ({
  hosts: (body) => hosts.createHost(world, body),
  'host-groups': (body) => hosts.createGroup(world, body),
  portals: (body) => mappings.createPortal(world, body),
  schedules: (body) => clock.createSchedule(world, body),
  'fc-ports': (body) => fc.takeOver(world, body),
  interfaces: (body) => interfaces.create(world, body),
  mappings: (body) => mappings.createMappings(world, [body], false),
  'mappings:create-batch': (body) => mappings.createMappings(world, mappings.batchWishes(body), true),
  users: (body) => people.createUser(world, body),
  tokens: (body) => people.createToken(world, body),
  arrays: (body) => work.createArray(world, body),
  volumes: (body) => work.createVolumes(world, [body]),
  snapshots: (body) => care.createSnapshot(world, body),
  'site:plan': (body) => whole.siteWish(world, body),
  'site:apply': (body) => whole.siteWish(world, body),
  'volumes:delete-batch': (body) => bulk.deleteVolumes(world, body),
  'snapshots:create-batch': (body) => bulk.takeSnapshots(world, body),
  'volumes:create-batch': (body) => work.createVolumes(world, work.batchVolumes(body)),
})

export const PATCHES = (world: World): Record<string, Change> => ({
  hosts: (row, body) => hosts.patchHost(world, row, body),
  'host-groups': (row, body) => hosts.patchGroup(world, row, body),
  users: (row, body) => people.patchUser(world, row, body),
  schedules: (row, body) => clock.patchSchedule(world, row, body),
  'fc-ports': (row, body) => fc.setMode(row, body),
  arrays: (row, body) => care.patchArray(world, row, body),
})

/** What is asked of one thing by a verb: `POST /arrays/tank:scrub`. */
export const VERBS = (world: World): Record<string, Change> => ({
  'arrays:add-spares': (row, body) => care.addSpares(world, row, body),
  'arrays:add-disks': (row, body) => care.addDisks(world, row, body),
  'arrays:reshape': (row, body) => care.reshape(world, row, body),
  'arrays:replace': (row, body) => care.replace(world, row, body),
  'arrays:fail': (row, body) => care.changeDisk('fail')(world, row, body),
  'arrays:remove': (row, body) => care.changeDisk('remove')(world, row, body),
  'arrays:readd': (row, body) => care.changeDisk('readd')(world, row, body),
  'arrays:force-start': (row, body) => care.forceStart(world, row, body),
  'arrays:release': (row, body) => release(world, row, body),
  'arrays:forget': (row, body) => forget(world, row, body),
  'arrays:scrub': (row, body) => care.scrub(world, row, body),
  'arrays:unlock': (row, body) => encryption.unlock(row, body),
  'arrays:change-key': (row, body) => encryption.changeKey(row, body),
  'volumes:grow': (row, body) => care.growVolume(world, row, body),
  'volumes:roll-back': (row, body) => trash.rollBack(world, row, body),
  'deleted-volumes:recover': (row, body) => trash.recover(world, row, body),
  'deleted-snapshots:recover': (row, body) => trash.recoverSnapshot(world, row, body),
  'snapshots:clone': (row, body) => care.cloneSnapshot(world, row, body),
  'interfaces:change': (row, body) => interfaces.change(world, row, body),
  'interfaces:remove': (row) => interfaces.remove(world, row),
  'interfaces:confirm': (row) => interfaces.end(world, row, true),
  'interfaces:revert': (row) => interfaces.end(world, row, false),
  'hosts:verify-paths': (row, body) => ways.tryPaths(world, row, body),
  'sessions:disconnect': (row) => disconnect(world, row),
  'alerts:acknowledge': (row, body) => alerts.acknowledge(row, body),
  'alerts:silence': (row, body) => alerts.silence(row, body),
  'alerts:reopen': (row) => alerts.reopen(row),
  'logins:end': (row) => people.endLogin(world, row),
  'events:undo': (row) => undoEvent(world.events, row),
})

export const DELETES = (world: World): Record<string, Change> => ({
  hosts: (row) => hosts.deleteHost(world, row),
  'host-groups': (row) => hosts.deleteGroup(world, row),
  portals: (row) => mappings.deletePortal(world, row),
  schedules: (row) => clock.deleteSchedule(world, row),
  'fc-ports': (row) => fc.letGo(row),
  mappings: (row) => mappings.deleteMapping(world, row),
  users: (row) => people.deleteUser(world, row),
  tokens: (row) => people.deleteToken(world, row),
  arrays: (row) => work.deleteArray(world, row),
  volumes: (row) => work.deleteVolume(world, row),
  'deleted-volumes': (row) => trash.erase(world, row),
  'deleted-snapshots': (row) => trash.eraseSnapshot(world, row),
  snapshots: (row) => care.deleteSnapshot(world, row),
})
