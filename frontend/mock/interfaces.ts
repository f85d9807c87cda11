/** Network interfaces of the mock: a change is on trial until it is kept or taken back. */
import type { Interface, InterfaceChange, Plan } from '@/api'
import { json, plan, refusal } from './answers'
import type { Wish } from './answers'
import { start } from './jobs'
import type { World } from './world'

const TRIAL_S = 60

export const networkInterface = (name: string, change: Partial<Interface> = {}): Interface => ({
  name,
  mac: '52:54:00:00:00:02',
  kind: 'physical',
  link: true,
  state: 'up',
  speed_mbit_s: 25_000,
  mtu_bytes: 1500,
  addresses: [],
  configured_by: null,
  wanted: null,
  reason: null,
  trial_left_s: null,
  age_s: 1,
  ...change,
})

export const interfaces = (): Interface[] => [
  networkInterface('eno1', {
    speed_mbit_s: 1000,
    addresses: [{ address: '10.20.0.2/24', dynamic: true, portals: [] }],
    configured_by: '/etc/systemd/network/50-dhcp.network',
  }),
  networkInterface('enp65s0', {
    mtu_bytes: 9000,
    addresses: [{ address: '10.20.1.2/24', dynamic: false, portals: ['storage-b'] }],
    configured_by: '/run/systemd/network/05-lunette-enp65s0.network',
    wanted: {
      role: 'storage',
      dhcp: false,
      addresses: ['10.20.1.2/24'],
      gateway: null,
      dns: [],
      mtu_bytes: 9000,
    },
  }),
  networkInterface('enp66s0', { link: false, state: 'down', speed_mbit_s: null }),
  networkInterface('vmbr0', {
    kind: 'bridge',
    addresses: [{ address: '10.99.0.1/24', dynamic: false, portals: [] }],
    configured_by: '/etc/systemd/network/20-bridge.network',
    reason: "it is configured by /etc/systemd/network/20-bridge.network, which is not Lunette's",
  }),
]

/** How each interface on trial was before. */
const before = new WeakMap<Interface, Partial<Interface>>()

export function change(world: World, row: Interface, body: InterfaceChange): Wish | Response {
  const addresses = body.addresses ?? []
  const lost = row.addresses
    .filter(({ address }) => !addresses.includes(address))
    .flatMap((one) => one.portals)
  const unnamed = lost.find((name) => !body.portals?.includes(name))
  if (unnamed)
    return refusal(
      `Interface ${row.name} was not changed`,
      [
        [
          'portals',
          `portal ${unnamed} listens on its address, which goes: name the portal, or delete it first`,
        ],
      ],
      409,
    )
  const wish: Plan = plan(
    `Change interface ${row.name}`,
    [
      ['change', 'interface', row.name, [...addresses, body.dhcp && 'DHCP'].filter(Boolean).join(', ')],
      ...lost.map((name): [action: 'interrupt', string, string, string] => [
        'interrupt',
        'portal',
        name,
        'loses its address',
      ]),
    ],
    {
      steps: [
        {
          kind: 'interface.try',
          description: `configure interface ${row.name}`,
          devices: [],
          bytes_destroyed: 0,
          irreversible: false,
        },
      ],
      warnings: [`It is taken back by itself unless it is confirmed within ${TRIAL_S} s.`],
    },
  )
  return { plan: wish, apply: () => start(world, wish, 'interface', () => begin(row, body)) }
}

function begin(row: Interface, body: InterfaceChange): void {
  const { wanted, addresses, mtu_bytes } = row
  before.set(row, { wanted, addresses, mtu_bytes })
  Object.assign(row, {
    trial_left_s: TRIAL_S,
    mtu_bytes: body.mtu_bytes ?? mtu_bytes,
    addresses: (body.addresses ?? []).map((address) => ({ address, dynamic: false, portals: [] })),
    wanted: {
      role: body.role ?? 'management',
      dhcp: body.dhcp ?? false,
      addresses: body.addresses ?? [],
      gateway: body.gateway ?? null,
      dns: body.dns ?? [],
      mtu_bytes: body.mtu_bytes ?? null,
    },
  })
}

/** What the machine does when the time is over, and what a person may ask before. */
export function takeBack(row: Interface): void {
  Object.assign(row, before.get(row), { trial_left_s: null })
}

export function end(row: Interface, isKept: boolean): Wish | Response {
  if (row.trial_left_s === null)
    return refusal('Nothing was changed', [['interface', 'no change waits to be confirmed']], 409)
  return {
    plan: plan(`${isKept ? 'Confirm' : 'Take back'} the change of interface ${row.name}`, []),
    apply: () => {
      if (isKept) row.trial_left_s = null
      else takeBack(row)
      return json(row)
    },
  }
}
