/**
 * A small appliance made up for component tests and for `npm run dev` without an appliance. Every value is typed by
 * the generated client, so a change of the API that the pages must follow stops the type check here first.
 */
import type { Alert, Disk, Event, Job, Me, Session, Status, StorageArray, Volume } from '@/api'
import { events, session, undoneJob, volumesJob } from './journal'
import { nvmeDisk, sasDisk, tank, volume } from './storage'

export const CSRF = 'csrf-of-the-mock'

export interface World {
  password: string
  isOneTime: boolean
  me?: Me
  /** While set, every list answers 503 with this detail. */
  broken?: string
  status: Status
  disks: Disk[]
  arrays: StorageArray[]
  volumes: Volume[]
  sessions: Session[]
  jobs: Job[]
  events: Event[]
  alerts: Alert[]
}

const status = (): Status => ({
  health: 'good',
  sentence: 'All is well: 1 array healthy, 32 volumes served to 4 hosts',
  name: 'lunette-rack4',
  version: '0.1.0',
  appliance_id: '0a1b2c3d4e5f',
  addresses: ['10.20.0.2'],
  exports: {
    state: 'converged',
    wanted_generation: 41,
    applied_generation: 41,
    reason: null,
    unexplained: [],
    foreign: [],
    age_s: 1,
  },
  agent: { answers: true, reason: null, age_s: 1 },
  counts: {
    disks: 12,
    arrays: 1,
    volumes: 32,
    hosts: 4,
    host_groups: 0,
    portals: 1,
    mappings: 32,
    sessions: 4,
    running_jobs: 0,
    stuck_jobs: 0,
    alerts: 0,
  },
})

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)

export function makeWorld(): World {
  const members = numbers(8).map(nvmeDisk)
  const occupied = sasDisk(4, {
    state: 'occupied',
    occupied_by: 'it carries an ext4 signature (label backup)',
    wipeable: true,
  })
  return {
    password: 'moonlight-over-tank',
    isOneTime: false,
    status: status(),
    disks: [...members, sasDisk(1), sasDisk(2), sasDisk(3), occupied],
    arrays: [tank(members, 32)],
    volumes: numbers(32).map((number) => volume(number)),
    sessions: numbers(4).map(session),
    jobs: [volumesJob(), undoneJob()],
    events: events(),
    alerts: [],
  }
}

/** The same appliance with its administrator logged in. */
export function loggedIn(world: World = makeWorld()): World {
  world.me = {
    username: 'admin',
    role: 'administrator',
    password_change_required: false,
    csrf_token: CSRF,
  }
  return world
}
