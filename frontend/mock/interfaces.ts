/** Network interfaces of the mock: a change is on trial until it is kept or taken back. */
import type { Firewall, Interface, InterfaceChange, InterfaceCreate } from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Planned, Shown } from './answers'
import { start } from './jobs'
import type { World } from './world'

const TRIAL_S = 60

export const networkInterface = (name: string, change: Partial<Interface> = {}): Interface => ({
  name,
  mac: '52:54:00:00:00:02',
  kind: 'physical',
  parent: null,
  vlan_id: null,
  master: null,
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
      ntp: [],
      mtu_bytes: 9000,
      made: null,
    },
  }),
  networkInterface('enp65s0.7', {
    kind: 'vlan',
    parent: 'enp65s0',
    vlan_id: 7,
    mtu_bytes: 9000,
    configured_by: '/run/systemd/network/05-lunette-enp65s0.7.network',
    wanted: {
      role: 'storage',
      dhcp: false,
      addresses: [],
      gateway: null,
      dns: [],
      ntp: [],
      mtu_bytes: null,
      made: {
        kind: 'vlan',
        parent: 'enp65s0',
        vlan_id: 7,
        members: [],
        mode: null,
        lacp_rate: null,
        miimon_ms: null,
      },
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

export function change(world: World, row: Interface, body: InterfaceChange): Planned | Response {
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
          `portal ${unnamed} listens on its address, which is removed: specify the portal, or delete it first`,
        ],
      ],
      409,
    )
  const found = plan(
    `Change interface ${row.name}`,
    [
      ['change', 'interface', row.name, [...addresses, body.dhcp && 'DHCP'].filter(Boolean).join(', ')],
      ...lost.map((name): Line => ['interrupt', 'portal', name, 'loses its address']),
    ],
    {
      steps: [step(`configure interface ${row.name}`)],
      warnings: [`It is reverted automatically unless it is confirmed within ${TRIAL_S} s.`],
    },
  )
  return { plan: found, apply: () => start(world, found, 'interface', () => begin(row, body)) }
}

const step = (description: string) => ({
  kind: 'interface.try',
  description,
  devices: [],
  bytes_destroyed: 0,
  irreversible: false,
})

export function create(world: World, body: InterfaceCreate): Planned | Response {
  const { name, kind, parent, vlan_id, members = [], mode = 'active-backup', lacp_rate = null } = body
  if (world.interfaces.some((one) => one.name === name))
    return refusal(
      `Interface ${name} was not created`,
      [['name', `an interface named ${name} already exists`]],
      409,
    )
  const rate = lacp_rate ? `, ${lacp_rate}` : ''
  const words =
    kind === 'vlan' ? `VLAN ${vlan_id} of ${parent}` : `bond of ${members.join(', ')} (${mode}${rate})`
  const found = plan(`Create interface ${name}`, [['create', 'interface', name, words]], {
    steps: [step(`configure interface ${name}`)],
  })
  const fresh = networkInterface(name, { kind, parent: parent ?? null, vlan_id: vlan_id ?? null })
  return {
    plan: found,
    apply: () =>
      start(world, found, 'interface', () => {
        begin(fresh, body, true)
        world.interfaces.push(fresh)
      }),
  }
}

export function remove(world: World, row: Interface): Planned {
  const found = plan(`Remove interface ${row.name}`, [['destroy', 'interface', row.name, 'is removed']], {
    steps: [step(`remove interface ${row.name}`)],
  })
  const gone = () => {
    const { state, wanted } = row
    before.set(row, { state, wanted })
    Object.assign(row, { trial_left_s: TRIAL_S, state: 'removed', wanted: null })
  }
  return { plan: found, apply: () => start(world, found, 'interface', gone) }
}

/** `isFresh`: it was not there before. */
function begin(row: Interface, body: InterfaceChange | InterfaceCreate, isFresh = false): void {
  const { wanted, addresses, mtu_bytes } = row
  if (!isFresh) before.set(row, { wanted, addresses, mtu_bytes })
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
      ntp: body.ntp ?? [],
      mtu_bytes: body.mtu_bytes ?? null,
      made: wanted?.made ?? null,
    },
  })
}

/** What the machine does when the time is over, and what a person may ask before. */
export function takeBack(row: Interface): void {
  Object.assign(row, before.get(row), { trial_left_s: null })
}

export function end(
  world: World,
  row: Interface,
  isKept: boolean,
): Planned<Shown<Interface> | Gone> | Response {
  if (row.trial_left_s === null)
    return refusal('Nothing was changed', [['interface', 'no change waits to be confirmed']], 409)
  return {
    plan: plan(`${isKept ? 'Confirm' : 'Take back'} the change of interface ${row.name}`, []),
    apply: () => {
      const isGone = isKept ? row.state === 'removed' : !before.has(row) && row.state !== 'removed'
      if (isKept) row.trial_left_s = null
      else takeBack(row)
      if (!isGone) return json(row)
      world.interfaces = world.interfaces.filter((one) => one !== row)
      return noContent()
    },
  }
}

export const firewall = (world: World): Firewall => ({
  mode: 'managed',
  is_default: true,
  state: 'in_force',
  reason: null,
  openings: [
    { protocol: 'tcp', port: 8443, address: null, management: true, portals: [] },
    ...world.portals.flatMap(({ address, port, name }) =>
      port === null ? [] : [{ protocol: 'tcp' as const, port, address, management: false, portals: [name] }],
    ),
  ],
  closed_on: world.interfaces.filter(({ wanted }) => wanted?.role === 'storage').map(({ name }) => name),
  kept_open_on: [],
  repaired: null,
  repaired_at: null,
  age_s: 1,
})
