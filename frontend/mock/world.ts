/**
 * A small appliance made up for component tests and for `npm run dev`. Every value is typed by the generated client, so
 * a change of the API that the pages must follow stops the type check here first.
 */
import type {
  ActiveLogin,
  DeletedSnapshot,
  DeletedVolume,
  Alert,
  Disk,
  DriftReport,
  Engine,
  EventDetail,
  Host,
  HostGroup,
  Interface,
  Job,
  Mapping,
  Me,
  Plan,
  Portal,
  FcPort,
  ForeignArray,
  Initiator,
  RdmaDevice,
  Schedule,
  Session,
  Settings,
  Snapshot,
  Status,
  StorageArray,
  Token,
  Unseen,
  User,
  Volume,
} from '@/api'
import { snapshots } from './care'
import { group, host } from './hosts'
import { interfaces } from './interfaces'
import { alerts, events, session, undoneJob, volumesJob } from './journal'
import { portal } from './portals'
import { activeLogin, token, user } from './people'
import { certificate } from './certificate'
import { schedule } from './schedules'
import { settings } from './settings'
import { status } from './status'
import { deletedSnapshot, deletedVolume } from './trash'
import { updates } from './updates'
import { exportEngines, externalEngine, mdEngine, zfsEngine } from './engines'
import { GIB, nvmeDisk, sasDisk, tank, usedDisk, volume } from './storage'

export const CSRF = 'csrf-of-the-mock'

export interface World {
  password: string
  isOneTime: boolean
  /** Whether the administrator has a second factor; its code is `CODE` of people.ts. */
  secondFactor: boolean
  me?: Me
  /** While set, every list and the drift report answer 503 with this detail. */
  broken?: string
  /** Nothing was measured since the appliance started. */
  isUnmeasured?: boolean
  /** While set, the next step of a running job fails with this detail and is taken back. */
  failingStep?: string
  /** While set, the next change is made but its answer never arrives. */
  isAnswerLost?: boolean
  /** Answers kept under their Idempotency-Key. */
  answered: Map<string, Response>
  /** What a running job does when its last step is done, by job id. */
  finishing: Map<string, () => void>
  status: Status
  disks: Disk[]
  arrays: StorageArray[]
  volumes: Volume[]
  deletedVolumes: DeletedVolume[]
  deletedSnapshots: DeletedSnapshot[]
  snapshots: Snapshot[]
  sessions: Session[]
  /** Families whose sessions cannot be listed. */
  unseenSessions: Unseen[]
  jobs: Job[]
  events: EventDetail[]
  /** By the number of an event, what undoing it does to the mock. */
  undoing: Map<number, () => void>
  drift: DriftReport
  /** I/Os per second by volume, of those that are in use. */
  iops: Record<string, number>
  /** What changes of host groups would give to other volumes. */
  reused: Plan['reused']
  alerts: Alert[]
  hosts: Host[]
  hostGroups: HostGroup[]
  portals: Portal[]
  mappings: Mapping[]
  users: User[]
  tokens: Token[]
  logins: ActiveLogin[]
  engines: Engine[]
  rdmaDevices: RdmaDevice[]
  foreignArrays: ForeignArray[]
  initiators: Initiator[]
  fcPorts: FcPort[]
  interfaces: Interface[]
  schedules: Schedule[]
  settings: Settings
  certificate: ReturnType<typeof certificate>
  /** TLS ends at a proxy, so the API has no certificate. */
  isProxied?: boolean
  updates: ReturnType<typeof updates>
}

/** The mappings the volumes tell of, as the list of mappings shows them. */
function mappingsOf(volumes: Volume[], hosts: Host[]): Mapping[] {
  return volumes.flatMap((one) =>
    one.mapped_to.map((owner) => ({
      id: owner.mapping_id,
      volume: one.name,
      volume_id: one.id,
      host: owner.host,
      host_id: hosts.find(({ name }) => name === owner.host)?.id ?? null,
      host_group: null,
      host_group_id: null,
      lun: owner.lun,
      shared: false,
      family: 'scsi' as const,
      target_iqn: `iqn.2026-11.io.lunette:0a1b2c3d4e5f.${owner.host}`,
      subsystem_nqn: null,
      state: one.export.state,
      reason: one.export.reason,
      created_at: one.created_at,
      updated_at: one.updated_at,
    })),
  )
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

export function makeWorld(): World {
  const members = numbers(8).map(nvmeDisk)
  const occupied = usedDisk(4)
  const hosts = numbers(4).map((number) => host(`host${number}`))
  const spare = [
    host('backup-proxy', {
      id: 'host-5',
      os_type: 'windows',
      mappings: 0,
      sessions: 0,
      connection: 'never',
      last_seen_at: null,
      export: { state: 'none', reason: null },
    }),
    host('esx-cluster-node-a', {
      id: 'host-6',
      os_type: 'esxi',
      mappings: 0,
      sessions: 0,
      connection: 'offline',
      export: { state: 'none', reason: null },
      chap: { user: 'esx-a', mutual_user: null },
    }),
  ]
  const cluster = group('esx-cluster', spare.slice(1), { id: 'group-1' })
  const volumes = [
    ...numbers(32).map((number) => volume(number)),
    ...numbers(6).map((number) =>
      volume(32 + number, {
        name: `scratch${number}`,
        mapped_to: [],
        export: { state: 'none', reason: null },
      }),
    ),
  ]
  Object.assign(volumes.at(-1) ?? {}, {
    name: 'vm01',
    provisioning: 'thin',
    can_snapshot: true,
    observed: {
      age_s: 1,
      device: '/dev/lunette-tank/vm01',
      size_bytes: 512 * GIB,
      active: true,
      open: false,
      sealed: true,
      used_bytes: 187 * GIB,
    },
  })
  Object.assign(hosts[3] ?? {}, {
    nqns: ['nqn.2014-08.org.nvmexpress:uuid:7a0d8d7e-1c5b-4c3a-9d2e-0f1a2b3c4d5e'],
  })
  Object.assign(spare[1] ?? {}, { group: cluster.name, group_id: cluster.id })
  const maps = { finishing: new Map(), answered: new Map() }
  return {
    ...maps,
    password: 'moonlight-over-tank',
    hosts: [...hosts, ...spare],
    hostGroups: [cluster],
    portals: [portal('storage-a'), portal('storage-b', { address: '10.20.1.2' })],
    mappings: mappingsOf(volumes, hosts),
    users: [
      user('admin', { role: 'administrator' }),
      user('marta', { role: 'operator' }),
      user('wall-display'),
    ],
    logins: [activeLogin(1), activeLogin(2, { username: 'oscar', role: 'operator' })],
    tokens: [token('ansible'), token('grafana', { role: 'viewer', last_used_at: '2026-11-21T05:00:00Z' })],
    engines: [mdEngine(), zfsEngine(), externalEngine(), ...exportEngines()],
    rdmaDevices: [],
    foreignArrays: [],
    initiators: [],
    fcPorts: [],
    interfaces: interfaces(),
    schedules: [schedule('nightly')],
    settings: settings(),
    certificate: certificate(),
    updates: updates(),
    isOneTime: false,
    secondFactor: false,
    status: status(),
    disks: [...members, ...[1, 2, 3].map((number) => sasDisk(number)), occupied],
    arrays: [tank(members, 32)],
    volumes,
    deletedVolumes: [deletedVolume()],
    deletedSnapshots: [deletedSnapshot()],
    snapshots: snapshots(),
    sessions: numbers(4).map(session),
    unseenSessions: [],
    jobs: [volumesJob(), undoneJob()],
    events: events(),
    undoing: new Map(),
    drift: { items: [], complete: true, unseen: [], repaired: 0 },
    iops: {},
    reused: [],
    alerts: alerts(),
  }
}

/** With its administrator logged in. */
export function loggedIn(world: World = makeWorld()): World {
  world.me = {
    username: 'admin',
    role: 'administrator',
    password_change_required: false,
    has_second_factor: world.secondFactor,
    second_factor_required: false,
    csrf_token: CSRF,
  }
  return world
}
