/** Rows of the mock world that tell what happened: jobs, events, sessions. */
import type { Alert, EventDetail, Job, JobStep, Session } from '@/api'
import { UNSEEN } from './alerts'
import { json, plan } from './answers'
import type { Made, Planned } from './answers'
import { two } from './storage'
import type { World } from './world'

const MINUTE_MS = 60_000
export const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString()

function step(index: number, description: string, state: JobStep['state']): JobStep {
  return {
    index,
    kind: 'lv.create',
    description,
    devices: [],
    irreversible: false,
    state,
    detail: '',
    error: null,
    started_at: null,
    finished_at: null,
  }
}

export function volumesJob(change: Partial<Job> = {}): Job {
  return {
    id: 'job-2',
    kind: 'volumes.create',
    title: 'Create 32 volumes on array tank',
    state: 'succeeded',
    progress_percent: 100,
    steps_total: 4,
    steps_done: 4,
    message: 'done',
    resource_kind: 'volume',
    resource_ids: [],
    actor: 'admin',
    error: null,
    undo: { possible: false, reason: 'Hosts may already have written data to it.', undone_by: null },
    created_at: ago(52),
    started_at: ago(52),
    finished_at: ago(51.6),
    steps: [1, 9, 17, 25].map((first, index) =>
      step(index, `create volumes lun${two(first)} to lun${two(first + 7)} of 512 GiB`, 'done'),
    ),
    ...change,
  }
}

export function undoneJob(): Job {
  return volumesJob({
    id: 'job-1',
    kind: 'array.create',
    title: 'Create array archive',
    state: 'undone',
    progress_percent: 33.3,
    steps_total: 3,
    steps_done: 1,
    message: 'all its changes were rolled back',
    error: {
      type: 'tool-failed',
      detail:
        'mdadm could not write to disk scsi-35000c500a1b2c304. Nothing is left behind; check the disk and try again.',
    },
    created_at: ago(70),
    started_at: ago(70),
    finished_at: ago(69.8),
    steps: [
      step(0, 'create md raid5 of 3 disks, chunk 64 KiB, write hole: ppl', 'undone'),
      step(1, 'create volume group on array archive', 'pending'),
    ],
  })
}

export function session(number: number): Session {
  return {
    id: `session-${number}`,
    host: `host${number}`,
    host_id: `host-${number}`,
    initiator: `iqn.2004-10.io.example:host${number}`,
    protocol: 'iscsi',
    target_iqn: `iqn.2026-11.io.lunette:0a1b2c3d4e5f.host${number}`,
    target_wwpn: null,
    subsystem_nqn: null,
    portal: '10.20.0.2:3260',
    peer: `10.20.0.${10 + number}`,
    state: 'logged in',
    since: ago(34 * number),
    read_bytes: 61_203_283_968 * number,
    write_bytes: 18_471_239_680 * number,
    commands: 4_210_000 * number,
    queue_depth: 64,
    can_disconnect: true,
    stays_because: null,
    age_s: 1,
  }
}

const event = (
  seq: number,
  minutes: number,
  noun: string,
  kind: string,
  message: string,
  more: Partial<EventDetail> = {},
): EventDetail => ({
  seq,
  at: ago(minutes),
  kind,
  noun,
  ref: null,
  actor: 'admin',
  message,
  outcome: kind.endsWith('failed') ? 'failed' : 'done',
  job_id: null,
  changes: [],
  hosts_interrupted: [],
  warnings: [],
  undo: { possible: false, reason: 'This event only reports what happened.', undone_by: null },
  ...more,
})

const freshSeq = (events: readonly EventDetail[]): number => Math.max(...events.map((one) => one.seq)) + 1

/** Records a change that can be undone. Returns the header that names its event. */
export function recorded(world: World, noun: string, message: string, undo: () => void) {
  const seq = freshSeq(world.events)
  const more = { undo: { possible: true, reason: null, undone_by: null } }
  world.events.unshift(event(seq, 0, noun, `${noun}.created`, message, more))
  world.undoing.set(seq, undo)
  return { 'Lunette-Event': String(seq) }
}

/** Undoing an event that the mock did not record changes the log alone: what matters here is the way to it. */
export function undoEvent(world: World, row: EventDetail): Planned<Made<EventDetail>> {
  const { events } = world
  return {
    plan: plan(`Undo event ${row.seq}: ${row.message}`, [['change', row.noun, 'host4', 'name becomes web4']]),
    apply: () => {
      const seq = freshSeq(events)
      world.undoing.get(row.seq)?.()
      row.undo = {
        possible: false,
        reason: `It was undone by event ${seq}; undo that event to restore the change.`,
        undone_by: seq,
      }
      const undoing = event(seq, 0, row.noun, row.kind, `${row.message}, undoing event ${row.seq}`)
      events.unshift(undoing)
      return json(undoing, 201)
    },
  }
}

/** Those of one job, or for each job only the last one about its objects. */
export function eventsOf(world: World, { job, operations }: { job?: string | null; operations?: boolean }) {
  const standing = new Map<string | null, EventDetail>()
  for (const one of [...world.events].sort((left, right) => left.seq - right.seq))
    if (one.noun !== 'job' || !standing.has(one.job_id)) standing.set(one.job_id, one)
  return world.events.filter(
    (one) =>
      (!job || one.job_id === job) &&
      (!operations || one.job_id === null || standing.get(one.job_id) === one),
  )
}

export const events = (): EventDetail[] => [
  event(10, 1, 'host', 'host.changed', 'Change host web4', {
    changes: [{ action: 'change', noun: 'host', name: 'web4', detail: 'name becomes host4' }],
    undo: { possible: true, reason: null, undone_by: null },
  }),
  event(9, 3, 'session', 'session.opened', 'Host host4 logged in from 10.20.0.14'),
  event(8, 21, 'mapping', 'mapping.created', '32 volumes mapped to 4 hosts'),
  event(7, 51, 'volume', 'volume.created', '32 volumes created on array tank'),
  event(6, 64, 'array', 'array.created', 'Array tank created: RAID 5 of 8 disks'),
  event(5, 90, 'user', 'user.password_changed', 'admin changed the password'),
]

/** One that is over; nothing needs attention now. */
export const alerts = (): Alert[] => [
  {
    id: 'alert-0',
    key: 'array.health:tank',
    family: 'array',
    severity: 'critical',
    message: 'Array tank is degraded',
    cause: 'Disk nvme-SAMSUNG_MZQL23T8HCLS-00A07_S64HNE0T503118 did not answer.',
    fix: 'Replace the disk; the rebuild starts automatically.',
    raised_at: ago(600),
    resolved_at: ago(540),
    ...UNSEEN,
    about: { noun: 'array', id: 'array-1', name: 'tank' },
  },
]
