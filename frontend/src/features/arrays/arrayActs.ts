/** What can be asked of an array that stands, as changes of the API; each is a job. */
import {
  arrayDelete,
  arrayDisksAdd,
  arrayFail,
  arrayGrow,
  arrayPatch,
  arrayReadd,
  arrayRemove,
  arrayReplace,
  arrayScrub,
  arrayShow,
  arraySparesAdd,
} from '@/api'
import type {
  ArrayAddDisks,
  ArrayMember,
  ArrayPatch,
  ArrayVerb,
  Disk,
  ScrubAction,
  StorageArray,
} from '@/api'
import type { Change } from '@/app/change'
import { isCandidate } from './arrayDraft'

/** What can be done with one disk of an array. */
export type MemberVerb = 'replace' | 'fail' | 'remove' | 'readd'

const FIRST: Record<string, MemberVerb[]> = {
  in_sync: ['replace', 'fail'],
  rebuilding: ['replace', 'fail'],
  spare: ['remove'],
  faulty: ['replace', 'readd', 'remove'],
  missing: ['replace', 'readd', 'remove'],
}

/** Of disks that hold nobody's data. */
const BESIDE: Partial<Record<ArrayMember['role'], MemberVerb[]>> = {
  log: ['replace', 'remove'],
  cache: ['remove'],
  special: ['replace', 'remove'],
  spare: ['remove'],
}

/** Only what the state of the disk allows, of what the engine can; the plan tells whether the array allows it too. */
export const verbsOf = (member: ArrayMember, can: readonly ArrayVerb[]): MemberVerb[] =>
  (BESIDE[member.role] ?? FIRST[member.state] ?? []).filter((verb) => can.includes(verb))

const path = (array: StorageArray) => ({ array: array.id })
/** The chosen disks that carry something: naming them is the leave to wipe them. */
const toWipe = (chosen: readonly string[], disks: readonly Disk[]): string[] =>
  disks
    .filter((disk) => chosen.includes(disk.id) && isCandidate(disk) && disk.state !== 'free')
    .map(({ id }) => id)

export const addSpares = (array: StorageArray, chosen: string[], disks: readonly Disk[]): Change => ({
  noun: 'array',
  send: (call) =>
    arraySparesAdd({ path: path(array), body: { disks: chosen, wipe: toWipe(chosen, disks) }, ...call }),
})

export type AddedRole = ArrayAddDisks['role']
export const ADDED_ROLES: AddedRole[] = ['log', 'cache', 'special']

export const addDisks = (
  array: StorageArray,
  role: AddedRole,
  chosen: string[],
  disks: readonly Disk[],
): Change => ({
  noun: 'array',
  send: (call) =>
    arrayDisksAdd({ path: path(array), body: { role, disks: chosen, wipe: toWipe(chosen, disks) }, ...call }),
})

export const grow = (array: StorageArray, chosen: string[], disks: readonly Disk[]): Change => ({
  noun: 'array',
  send: (call) =>
    arrayGrow({ path: path(array), body: { disks: chosen, wipe: toWipe(chosen, disks) }, ...call }),
})

export const replaceDisk = (
  array: StorageArray,
  old: string,
  fresh: string,
  disks: readonly Disk[],
): Change => ({
  noun: 'array',
  send: (call) =>
    arrayReplace({
      path: path(array),
      body: { disk: old, new: fresh, wipe: toWipe([fresh], disks) },
      ...call,
    }),
})

const ONE_DISK = { fail: arrayFail, remove: arrayRemove, readd: arrayReadd }

export const changeDisk = (
  array: StorageArray,
  disk: string,
  verb: Exclude<MemberVerb, 'replace'>,
): Change => ({
  noun: 'array',
  send: (call) => ONE_DISK[verb]({ path: path(array), body: { disk }, ...call }),
})

export const scrub = (array: StorageArray, action: ScrubAction): Change => ({
  noun: 'array',
  send: (call) => arrayScrub({ path: path(array), body: { action }, ...call }),
})

export const changeArray = (array: StorageArray, body: ArrayPatch): Change => ({
  noun: 'array',
  read: () => arrayShow({ path: path(array) }),
  send: (call) => arrayPatch({ path: path(array), body, ...call }),
})

export const deletion = (array: StorageArray): Change => ({
  noun: 'array',
  read: () => arrayShow({ path: path(array) }),
  send: (call) => arrayDelete({ path: path(array), ...call }),
})
