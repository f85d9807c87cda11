/** The mock's power: a job that is over at once. */
import { plan } from './answers'
import type { Planned } from './answers'
import { start } from './jobs'
import type { World } from './world'

function stop(world: World, title: string, detail: string, warning: string, until: string): Planned {
  const made = plan(
    title,
    [
      ['change', 'system', 'lunette', detail],
      ['interrupt', 'host', 'esx1', `loses its paths ${until}`],
    ],
    {
      steps: [
        { kind: 'machine.stop', description: title, devices: [], bytes_destroyed: 0, irreversible: false },
      ],
      hosts_interrupted: ['esx1'],
      warnings: [warning],
    },
  )
  return { plan: made, apply: () => start(world, made, 'system', () => undefined) }
}

export const restart = (world: World): Planned =>
  stop(
    world,
    'Restart the appliance',
    'restarts',
    'All I/O stops for about 74 s, as at the last restart.',
    'until it has restarted',
  )

export const powerOff = (world: World): Planned =>
  stop(
    world,
    'Shut down the appliance',
    'is shut down, and stays off until it is switched on',
    'All I/O stops until the system is switched on, at its power button or its management controller',
    'until it is switched on again',
  )
