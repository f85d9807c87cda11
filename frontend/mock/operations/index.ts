/** What the mock answers to each operation of the API: a missing one is a type error, unless notMocked.ts says why. */
import type { Handlers } from '../operation'
import { ACCESS } from './access'
import { APPLIANCE } from './appliance'
import { ARRAYS } from './arrays'
import { LOG } from './log'
import { NETWORK } from './network'
import { PEOPLE } from './people'
import { SITE } from './site'
import { VOLUMES } from './volumes'

export const HANDLERS: Handlers = {
  ...ACCESS,
  ...APPLIANCE,
  ...ARRAYS,
  ...LOG,
  ...NETWORK,
  ...PEOPLE,
  ...SITE,
  ...VOLUMES,
}
