/** What the mock finds that is not its own: targets of targetcli, and arrays of a lost system drive; and what it lets go. */
import type {
  AdoptRequest,
  AdoptionAnswer,
  ArrayForget,
  ArrayRelease,
  Finding,
  ForeignArray,
  ForeignArrayAdopt,
  Inspection,
  RebuildArray,
  RebuildFound,
  RebuildRequest,
  Saveconfig,
  StorageArray,
} from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Planned, Shown, Started } from './answers'
import { planned, step } from './care'
import { start } from './jobs'
import type { World } from './world'

const OLD = 'iqn.2003-01.org.linux-iscsi.old:db'
const DEMO = 'iqn.2003-01.org.linux-iscsi.old:demo'
const findings = (): Finding[] => [
  { path: `/iscsi/${OLD}`, fits: true, words: 'becomes host db1 with 2 volumes; its hosts go on' },
  { path: `/iscsi/${DEMO}`, fits: false, words: 'it lets every initiator in: make an ACL for each first' },
]

export const FOREIGN = 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** An array of another machine: first its superblocks alone, then, once it was started, what is on it. */
export const foreignArray = (change: Partial<ForeignArray> = {}): ForeignArray => ({
  id: FOREIGN,
  name: '0',
  home_host: 'old',
  engine: 'md',
  level: 'raid1',
  health: 'missing',
  size_bytes: null,
  read_only: false,
  members: ['nvme-A', 'nvme-B'].map((disk_id) => ({ disk_id, device: '/dev/nvme8n1', state: 'spare' })),
  carries: [],
  group: null,
  free_bytes: null,
  volumes: [],
  array: null,
  next: 'start',
  reason: null,
  ...change,
})

export function startForeign(world: World): Planned {
  const found = plan('Start foreign array old:0', [['change', 'array', 'old:0', 'runs read-only']])
  const running = foreignArray({
    health: 'clean',
    size_bytes: 2 ** 30,
    read_only: true,
    group: 'srv',
    free_bytes: 2 ** 28,
    volumes: [
      { name: 'db', size_bytes: 2 ** 28, open: false, reason: null },
      { name: 'snap', size_bytes: 2 ** 28, open: false, reason: 'srv/snap is thin, and leans on others' },
    ],
    next: 'adopt',
  })
  return { plan: found, apply: () => start(world, found, 'array', () => (world.foreignArrays = [running])) }
}

export function adoptForeign(world: World, { name, volumes }: ForeignArrayAdopt): Planned {
  const found = plan(`Adopt array ${name ?? 'md0'}`, [
    ['create', 'array', name ?? 'md0', 'as it is'],
    ...(volumes ?? ['db']).map((one): Line => ['create', 'volume', one, 'its data stay']),
  ])
  return { plan: found, apply: () => start(world, found, 'array', () => (world.foreignArrays = [])) }
}

export function adopt(world: World, { targets = [] }: AdoptRequest): Planned<Started, AdoptionAnswer> {
  const taken = targets.length ? targets : [OLD]
  const found: AdoptionAnswer = {
    ...plan(
      'Take over 1 target',
      taken.map((name) => ['create', 'host', name, 'taken over']),
    ),
    targets: [OLD],
    findings: findings(),
  }
  return { plan: found, apply: () => start(world, found, 'mapping', () => undefined) }
}

export const inspection = (): Inspection => ({ fits: 1, refused: 1, findings: findings() })

export const saveconfig = (hasSecrets: boolean): Saveconfig => ({
  document: { storage_objects: [], targets: [], fabric_modules: [] },
  has_secrets: hasSecrets,
  left_out: ['volume lun07 is served over NVMe, which is not LIO: map it over iSCSI first'],
})

const lost = (name: string, change: Partial<RebuildArray> = {}): RebuildArray => ({
  name,
  uuid: `uuid-of-${name}`,
  appliance: 'rack3',
  appliance_id: '3c3c3c3c3c3c',
  generation: 12,
  written_at: '2026-11-19T21:40:00Z',
  volumes: 4,
  mappings: 6,
  sealed_here: false,
  chosen: true,
  problem: null,
  ...change,
})

/** Of what the disks say here, all the time. */
const DIGEST = 'd1'.repeat(32)

export function rebuild(
  { arrays = [], adopt, digest }: RebuildRequest,
  isRehearsal: boolean,
): Shown<RebuildFound> | Response {
  if (!isRehearsal && !adopt) return refusal('Nothing was changed: the copies were not adopted', [], 409)
  if (!isRehearsal && digest !== DIGEST)
    return refusal('Nothing was changed: the content of the disks is not the same as in the dry run', [], 412)
  const found = [
    lost('pond'),
    lost('lake'),
    lost('bog', { chosen: false, volumes: 0, mappings: 0, problem: 'both slots of its copy are damaged' }),
  ]
  for (const one of found) one.chosen &&= !arrays.length || arrays.includes(one.uuid)
  return json({
    arrays: found,
    hosts: ['db1', 'esx7'],
    secrets_missing: ['db1'],
    warnings: [],
    changes: [
      'Array pond is added, with volume group lunette-3c3c3c3c3c3c',
      'Host db1 can connect as iqn.2026-01.com.example:db1',
      'Host db1 gets volume orders under number 1 (scsi)',
      'Portal storage-a is created: iscsi on 192.0.2.10, port 3260',
    ],
    digest: DIGEST,
    rebuilt: !isRehearsal,
  })
}

export function release(world: World, array: StorageArray, { confirm }: ArrayRelease): Planned | Response {
  const mapped = world.volumes.find((one) => one.array === array.name && one.mapped_to.length)
  if (mapped) {
    const words = `volume ${mapped.name} is mapped: unmap it first`
    return refusal(`Array ${confirm} was not released`, [['array', words]], 409)
  }
  const title = `Release array ${array.name}`
  const found = plan(title, [['change', 'array', confirm, 'its disks and their content do not change']], {
    steps: [step(`remove Lunette's mark from md array ${confirm} and leave it stopped`)],
  })
  return planned(world, found, 'array', () => {
    world.volumes.splice(0, Infinity, ...world.volumes.filter((one) => one.array !== array.name))
    world.arrays.splice(world.arrays.indexOf(array), 1)
  })
}

export function forget(
  world: World,
  array: StorageArray,
  { confirm }: ArrayForget,
): Planned<Gone> | Response {
  if (!['missing', 'failed'].includes(array.health)) {
    const words = `it is ${array.health}, so it is not lost: delete its volumes and the array, or release it`
    return refusal(`Array ${confirm} was not forgotten`, [['array', words]], 409)
  }
  const lost = world.volumes.filter((one) => one.array === array.name)
  const warnings = [
    'All data on the array is given up permanently. If its disks are only disconnected, attach them instead.',
  ]
  const found = plan(
    `Forget array ${array.name} and what was on it`,
    [
      ['destroy', 'array', array.name, 'is forgotten'],
      ...lost.map((one): Line => ['destroy', 'volume', one.name, 'given up']),
    ],
    { warnings },
  )
  return {
    plan: found,
    apply: () => {
      world.volumes.splice(0, Infinity, ...world.volumes.filter((one) => !lost.includes(one)))
      world.mappings.splice(
        0,
        Infinity,
        ...world.mappings.filter((one) => !lost.some(({ id }) => id === one.volume_id)),
      )
      world.arrays.splice(world.arrays.indexOf(array), 1)
      return noContent()
    },
  }
}
