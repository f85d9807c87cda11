/** Kits and paths of the mock's hosts. */
import type { Host, HostKit, HostPaths, PathState, HostVerifyPaths } from '@/api'
import { json, plan, problem, refusal } from './answers'
import type { Planned, Shown } from './answers'
import { start } from './jobs'
import type { World } from './world'

const SECRET = 'moonlight-over-tank'
const SETTINGS = (secret: string) =>
  `node.session.auth.username = db\nnode.session.auth.password = ${secret}\n`

export function kit(name: string, hasSecrets: boolean, change: Partial<HostKit> = {}): HostKit {
  const secret = hasSecrets ? SECRET : '@LUNETTE-CHAP-SECRET@'
  return {
    host: name,
    os_type: 'linux',
    proof: 'tested',
    files: [
      {
        path: '/etc/lunette-host/iscsi-node.conf',
        mode: '0600',
        content: SETTINGS(secret),
        purpose: "Settings of the targets' records.",
        is_secret: true,
      },
    ],
    commands: [
      {
        run: 'systemctl enable --now iscsid multipathd',
        unless: 'systemctl is-active --quiet iscsid multipathd',
        purpose: 'Starts the services, now and at every boot.',
      },
      {
        run: 'sh /etc/lunette-host/check.sh',
        unless: null,
        purpose: 'Checks that every volume is visible over every path.',
      },
    ],
    check: 'sh /etc/lunette-host/check.sh',
    needs_secrets: true,
    has_secrets: hasSecrets,
    warnings: [],
    notes: ['Use the volumes as /dev/mapper/…, never as /dev/sd…, which are single paths.'],
    ...change,
  }
}

export function paths(name: string, states: PathState[] = ['up', 'down']): HostPaths {
  const words = (index: number, state: PathState) =>
    `${state === 'up' ? 'logged in on' : 'no connection to'} portal ${'ab'.charAt(index)} (192.0.2.${index + 1}:3260)`
  const seen = states.filter((state) => state === 'up').length
  const state = states.find((one) => one !== 'up') ?? 'up'
  const missing = states.findIndex((one) => one === 'down')
  const told = `expected ${states.length} paths, seen ${seen}: ${words(missing, 'down')}`
  return {
    host: name,
    state,
    sentence: state === 'up' ? `Host ${name} is connected over all ${seen} paths.` : `Host ${name}: ${told}.`,
    paths: states.map((one, index) => ({
      target: `iqn.2026-11.io.lunette:0a1b2c3d4e5f.${name}`,
      protocol: 'iscsi',
      portal: 'ab'.charAt(index),
      address: `192.0.2.${index + 1}:3260`,
      initiator: null,
      state: one,
      words: words(index, one),
    })),
    verification: null,
    volumes: [{ volume: 'lun01', lun: 1, family: 'scsi', expected: states.length, seen, state, words: told }],
  }
}

/** The trial of a host's paths; the appliance refuses one while a path is missing, the mock does not. */
export function tryPaths(world: World, row: Host, { confirm }: HostVerifyPaths): Planned | Response {
  if (confirm !== row.name) return refusal('No path is taken away', [['confirm', 'it must be the name']])
  const steps = ['a', 'b'].map((portal) => ({
    kind: 'path.try',
    description: `interrupt portal ${portal} for 45 s and check that host ${row.name} continues I/O`,
    devices: [],
    bytes_destroyed: 0,
    irreversible: false,
  }))
  const made = plan(
    `Test every path of host ${row.name}`,
    [['interrupt', 'host', row.name, 'portal a is interrupted for 45 s']],
    { steps, hosts_interrupted: [row.name] },
  )
  return { plan: made, apply: () => start(world, made, 'host', () => undefined) }
}

/** The kit of a host, with its secrets for those who may read them. */
export function kitOf(world: World, { name }: Host, hasSecrets: boolean): Shown<HostKit> | Response {
  if (hasSecrets && world.me?.role === 'viewer')
    return problem(403, 'Permission denied', 'This requires the role operator.')
  return json(kit(name, hasSecrets))
}
