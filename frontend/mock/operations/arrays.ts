/** Disks, arrays, and arrays of other machines. */
import { bound, find, json, page, shown } from '../answers'
import * as care from '../care'
import * as disks from '../disks'
import * as drives from '../drives'
import * as encryption from '../encryption'
import { layouts } from '../layouts'
import type { Call, Handlers } from '../operation'
import * as takeover from '../takeover'
import { capacityOf } from '../performance'
import * as work from '../work'

const arrayOf = ({ world, path }: Pick<Call<'arrayShow'>, 'world' | 'path'>) => find(world.arrays, path.array)

export const ARRAYS = {
  engineList: ({ world, query }) => page(world.engines, query),
  diskList: ({ world, query }) => page(world.disks, query),
  diskShow: ({ world, path }) => shown(find(world.disks, path.disk)),
  diskWipe: ({ world, path, body }) => disks.wipe(world, find(world.disks, path.disk), body),
  diskLocate: ({ world, path, body }) => disks.locate(world, find(world.disks, path.disk), body),
  diskHistory: ({ world, path }) => drives.history(world, path.disk),
  layoutList: ({ world, query }) => json(layouts(world, query.disks)),
  arrayList: ({ world, query }) => page(world.arrays, query),
  arrayCreate: ({ world, body }) => work.createArray(world, body),
  arrayShow: (call) => shown(arrayOf(call)),
  arrayCapacity: (call) => capacityOf(arrayOf(call)),
  arrayPatch: ({ world, path, body, request }) =>
    care.patchArray(world, bound(world.arrays, path.array, request), body),
  arrayDelete: ({ world, path, request }) =>
    work.deleteArray(world, bound(world.arrays, path.array, request)),
  arrayAddSpares: (call) => care.addSpares(call.world, arrayOf(call), call.body),
  arrayAddDisks: (call) => care.addDisks(call.world, arrayOf(call), call.body),
  arrayGrow: (call) => care.growArray(call.world, arrayOf(call), call.body),
  arrayReshape: (call) => care.reshape(call.world, arrayOf(call), call.body),
  arrayReplace: (call) => care.replace(call.world, arrayOf(call), call.body),
  arrayFail: (call) => care.changeDisk('fail')(call.world, arrayOf(call), call.body),
  arrayRemove: (call) => care.changeDisk('remove')(call.world, arrayOf(call), call.body),
  arrayReadd: (call) => care.changeDisk('readd')(call.world, arrayOf(call), call.body),
  arrayScrub: (call) => care.scrub(call.world, arrayOf(call), call.body),
  arrayForceStart: (call) => care.forceStart(call.world, arrayOf(call), call.body),
  arrayRelease: (call) => takeover.release(call.world, arrayOf(call), call.body),
  arrayForget: (call) => takeover.forget(call.world, arrayOf(call), call.body),
  arrayUnlock: (call) => encryption.unlock(arrayOf(call), call.body),
  arrayChangeKey: (call) => encryption.changeKey(arrayOf(call), call.body),
  foreignArrayList: ({ world, query }) => page(world.foreignArrays, query),
  foreignArrayStart: ({ world }) => takeover.startForeign(world),
  foreignArrayAdopt: ({ world, body }) => takeover.adoptForeign(world, body),
} satisfies Partial<Handlers>
