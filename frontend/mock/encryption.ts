/** Keys of encrypted arrays. Every array of the mock opens with one passphrase. */
import type { ArrayKeyChangeWritable, ArrayUnlock, StorageArray } from '@/api'
import { json, plan, refusal } from './answers'
import type { Planned, Shown } from './answers'

export const PASSPHRASE = 'correct horse battery'
const WRONG: [string, string][] = [['passphrase', 'is wrong']]

function keyed(
  array: StorageArray,
  given: string,
  title: string,
  act: () => void,
): Planned<Shown<StorageArray>> | Response {
  if (given !== PASSPHRASE) return refusal(`The passphrase does not unlock array ${array.name}`, WRONG)
  return {
    plan: plan(title, [['change', 'array', array.name, title]]),
    apply: () => {
      act()
      return json(array)
    },
  }
}

export const unlock = (array: StorageArray, body: ArrayUnlock) =>
  keyed(array, body.passphrase, `Unlock array ${array.name}`, () => {
    array.locked = false
  })

export const changeKey = (array: StorageArray, body: ArrayKeyChangeWritable) =>
  keyed(array, body.passphrase, `Change the keys of array ${array.name}`, () => {
    array.keep_key = body.keep_key ?? array.keep_key
  })
