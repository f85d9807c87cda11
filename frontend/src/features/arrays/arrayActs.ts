/** The possible changes of an array, as changes of the API; each but forgetting it is a job. */
import {
  arrayDelete,
  arrayAddDisks,
  arrayFail,
  arrayForceStart,
  arrayForget,
  arrayGrow,
  arrayPatch,
  arrayReadd,
  arrayRelease,
  arrayRemove,
  arrayReplace,
  arrayReshape,
  arrayScrub,
  arrayShow,
  arrayAddSpares,
} from '@/api'
import type {
  ArrayAddDisks,
  ArrayMember,
  ArrayPatch,
  ArrayVerb,
  Level,
  ScrubAction,
  StorageArray,
} from '@/api'
import { deletionOf } from '@/changes/change'
import type { Change } from '@/changes/change'

/** The possible changes of one disk of an array. */
export type MemberVerb = 'replace' | 'fail' | 'remove' | 'readd' | 'write_mostly' | 'read_again'

const FIRST: Record<string, MemberVerb[]> = {
  in_sync: ['replace', 'fail'],
  rebuilding: ['replace', 'fail'],
  spare: ['remove'],
  faulty: ['replace', 'readd', 'remove'],
  missing: ['replace', 'readd', 'remove'],
}

/** For disks without data to retain. */
const BESIDE: Partial<Record<ArrayMember['role'], MemberVerb[]>> = {
  log: ['replace', 'remove'],
  cache: ['remove'],
  special: ['replace', 'remove'],
  spare: ['remove'],
}

/** Whether reads of a mirror use its other disks. */
export const isWriteMostly = (array: StorageArray, member: ArrayMember): boolean =>
  array.write_mostly.includes(member.disk_id)

function reading(array: StorageArray, member: ArrayMember): MemberVerb[] {
  if (array.level !== 'raid1' || member.state !== 'in_sync') return []
  return [isWriteMostly(array, member) ? 'read_again' : 'write_mostly']
}

/** Only what the state of the disk allows and the engine supports; the plan shows whether the array allows it too. */
export const verbsOf = (
  array: StorageArray,
  member: ArrayMember,
  can: readonly ArrayVerb[],
): MemberVerb[] => [
  ...(BESIDE[member.role] ?? FIRST[member.state] ?? []).filter((verb) => (can as string[]).includes(verb)),
  ...reading(array, member),
]

const path = (array: StorageArray) => ({ array: array.id })
/** Disks that are added, and those of them with consent to be wiped. */
export interface Taken {
  chosen: string[]
  wipe: string[]
}
const taken = ({ chosen, wipe }: Taken) => ({ disks: chosen, wipe: wipe.filter((id) => chosen.includes(id)) })

export const addSpares = (array: StorageArray, disks: Taken): Change => ({
  noun: 'array',
  send: (call) => arrayAddSpares({ path: path(array), body: taken(disks), ...call }),
})

export type AddedRole = ArrayAddDisks['role']
const ADDED_ROLES: readonly string[] = ['log', 'cache', 'special'] satisfies AddedRole[]
export const isAddedRole = (role: string): role is AddedRole => ADDED_ROLES.includes(role)

export const addDisks = (array: StorageArray, role: AddedRole, disks: Taken): Change => ({
  noun: 'array',
  send: (call) => arrayAddDisks({ path: path(array), body: { role, ...taken(disks) }, ...call }),
})

export const grow = (array: StorageArray, disks: Taken): Change => ({
  noun: 'array',
  send: (call) => arrayGrow({ path: path(array), body: taken(disks), ...call }),
})

export const reshape = (array: StorageArray, level: Level, disks: Taken): Change => ({
  noun: 'array',
  send: (call) => arrayReshape({ path: path(array), body: { level, ...taken(disks) }, ...call }),
})

export const replaceDisk = (array: StorageArray, old: string, disks: Taken): Change => ({
  noun: 'array',
  send: (call) => {
    const {
      disks: [fresh = ''],
      wipe,
    } = taken(disks)
    return arrayReplace({ path: path(array), body: { disk: old, new: fresh, wipe }, ...call })
  },
})

const ONE_DISK = { fail: arrayFail, remove: arrayRemove, readd: arrayReadd }

/** The other disks that are write-mostly stay write-mostly. */
const setWriteMostly = (array: StorageArray, disk: string, verb: 'write_mostly' | 'read_again'): Change => {
  const others = array.write_mostly.filter((id) => id !== disk)
  return changeArray(array, { write_mostly: verb === 'write_mostly' ? [...others, disk] : others })
}

export const changeDisk = (
  array: StorageArray,
  disk: string,
  verb: Exclude<MemberVerb, 'replace'>,
): Change =>
  verb === 'write_mostly' || verb === 'read_again'
    ? setWriteMostly(array, disk, verb)
    : {
        noun: 'array',
        send: (call) => ONE_DISK[verb]({ path: path(array), body: { disk }, ...call }),
      }

/** The dialog requires typing the name before it sends this. */
export const forceStart = (array: StorageArray): Change => ({
  noun: 'array',
  send: (call) => arrayForceStart({ path: path(array), body: { confirm: array.name }, ...call }),
})

/** For one that is permanently lost: the dialog requires typing the name before it sends this. */
export const forget = (array: StorageArray): Change => ({
  noun: 'array',
  send: (call) => arrayForget({ path: path(array), body: { confirm: array.name }, ...call }),
})

/** It destroys nothing, so only the plan is confirmed: the array can be adopted again. */
export const release = (array: StorageArray): Change => ({
  noun: 'array',
  send: (call) => arrayRelease({ path: path(array), body: { confirm: array.name }, ...call }),
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

export const deletion = (array: StorageArray): Change =>
  deletionOf(
    'array',
    () => arrayShow({ path: path(array) }),
    (call, cascade) => arrayDelete({ path: path(array), ...call, query: { ...call.query, ...cascade } }),
  )
