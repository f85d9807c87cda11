/** The two slots of the mock, and bundles: any text that holds the word bundle is one. */
import type { Update, UpdateCreate, UpdateBundle } from '@/api'
import { json, plan, problem } from './answers'
import type { Made, Planned } from './answers'
import { start } from './jobs'
import type { World } from './world'

export const updates = (change: Partial<Update> = {}): Update => ({
  available: true,
  reason: null,
  on_trial: false,
  slots: [
    { name: 'a', version: '0.1.0', running: true, next: true },
    { name: 'b', version: null, running: false, next: false },
  ],
  last: null,
  trusts: 'CN=Example Storage, certificate SHA-256 4f0c3a',
  outage_s: 74,
  ...change,
})

const OLD = 'b0'

export const take = (content: string): Made<UpdateBundle> | Response =>
  content.includes('bundle')
    ? json(
        {
          id: content.includes('old') ? OLD : 'b1',
          version: content.includes('old') ? '0.0.9' : '0.2.0',
          size_bytes: 734_003_200,
          is_older: content.includes('old'),
        },
        201,
      )
    : problem(422, 'Invalid input', 'The bundle is refused: its signer is not trusted by this appliance.')

const step = (kind: string, description: string) => ({
  kind,
  description,
  devices: [],
  bytes_destroyed: 0,
  irreversible: false,
})

function restart(world: World, title: string, version: string, written: boolean): Planned {
  const steps = [
    ...(written ? [step('slot.write', `Write version ${version} to slot b`)] : []),
    step('slot.start', `Restart from slot b: version ${version}`),
  ]
  const made = plan(title, [['change', 'system', 'lunette', `version 0.1.0 becomes ${version}, in slot b`]], {
    steps,
    hosts_interrupted: ['esx1'],
    warnings: ['All I/O stops for about 74 s, as at the last restart.'],
  })
  const finish = (): void => {
    world.updates = updates({
      slots: [
        { name: 'a', version: '0.1.0', running: false, next: false },
        { name: 'b', version, running: true, next: true },
      ],
      last: { version, slot: 'b', state: 'healthy', reason: null },
    })
  }
  return { plan: made, apply: () => start(world, made, 'system', finish) }
}

/** Of the bundles that `take` knows the older one is installed only as a downgrade. */
export function install(world: World, body: UpdateCreate): Planned | Response {
  const older = body.bundle === OLD
  if (older && !body.downgrade)
    return problem(409, 'Conflict', 'Version 0.0.9 is older than the running version 0.1.0.')
  const version = older ? '0.0.9' : '0.2.0'
  return restart(world, `Update to version ${version}`, version, true)
}

export function rollBack(world: World): Planned | Response {
  const before = world.updates.slots[1]?.version
  return before
    ? restart(world, `Roll back to version ${before}`, before, false)
    : problem(409, 'Conflict', 'Slot b holds nothing that could be started.')
}
