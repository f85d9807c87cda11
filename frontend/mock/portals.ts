/** Portals of the mock: where hosts knock. */
import type { Portal, PortalCreate, PortalPatch, RdmaDevice } from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Made, Planned, Shown } from './answers'
import { MADE, freshId } from './made'
import type { World } from './world'

export const softRoce = (address: string): RdmaDevice => ({
  id: 'rxe0/1',
  interface: 'eth1',
  link_layer: 'Ethernet',
  state: 'active',
  physical_state: 'linkup',
  rate: '2.5 Gb/sec (1X SDR)',
  mtu_bytes: 1500,
  firmware: null,
  node_guid: '5054:00ff:fe4c:5502',
  addresses: [{ address, gid_index: 1, gid: '', kind: 'RoCE v2', interface: 'eth1' }],
  reason: null,
  lossless: null,
  hint: null,
  age_s: 1,
})

export function portal(name: string, change: Partial<Portal> = {}): Portal {
  return {
    id: `portal-${name}`,
    name,
    protocol: 'iscsi',
    engine: 'lio',
    address: '10.20.0.2',
    port: 3260,
    state: 'open',
    reason: null,
    former_places: [],
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

export function patchPortal(world: World, row: Portal, body: PortalPatch): Planned<Shown<Portal>> | Response {
  const after = { address: body.address ?? row.address, port: body.port ?? row.port }
  const clash = world.portals.find(
    (one) => one !== row && one.address === after.address && one.port === after.port,
  )
  if (clash)
    return refusal(
      `Portal ${row.name} was not changed`,
      [
        [
          'address',
          `portal ${clash.name} already listens on ${after.address}:${after.port}; use another port`,
        ],
      ],
      409,
    )
  const lines: Line[] = []
  if (body.name) lines.push(['change', 'portal', row.name, `becomes ${body.name}; hosts do not notice it`])
  if (after.address !== row.address || after.port !== row.port)
    lines.push([
      'change',
      'portal',
      row.name,
      `${after.address}:${after.port} opens, then ${row.address}:${row.port} is closed`,
    ])
  return {
    plan: plan(`Change portal ${row.name}`, lines),
    apply: () => {
      if (lines.length > Number(Boolean(body.name)))
        row.former_places = [{ address: row.address, port: row.port }]
      Object.assign(row, after, { name: body.name ?? row.name })
      return json(row)
    },
  }
}

export function createPortal(world: World, body: PortalCreate): Planned<Made<Portal>> | Response {
  const port = body.port ?? 3260
  const clash = world.portals.find((one) => one.address === body.address && one.port === port)
  if (clash)
    return refusal(
      `Portal ${body.name} was not created`,
      [['address', `portal ${clash.name} already listens on ${body.address}:${port}; use another port`]],
      409,
    )
  return {
    plan: plan(`Create portal ${body.name}`, [
      ['create', 'portal', body.name, `${body.protocol} on ${body.address}:${port}`],
    ]),
    apply: () => {
      const fresh = portal(body.name, {
        id: freshId('portal'),
        address: body.address,
        port: body.protocol === 'nvme-fc' ? null : port,
        protocol: body.protocol ?? 'iscsi',
        engine: body.engine ?? 'lio',
      })
      world.portals.push(fresh)
      return json(fresh, 201)
    },
  }
}

export function deletePortal(world: World, row: Portal): Planned<Gone> {
  const connected = world.sessions.map((one) => one.host ?? '')
  return {
    plan: plan(
      `Delete portal ${row.name}`,
      [
        ['destroy', 'portal', row.name, `${row.address}:${row.port} closes`],
        ...connected.map((name): Line => ['interrupt', 'host', name, 'loses its sessions']),
      ],
      {
        hosts_interrupted: connected,
        warnings: ['This is the last portal: no host can reach any volume without it.'],
      },
    ),
    apply: () => {
      world.portals = world.portals.filter((one) => one !== row)
      return noContent()
    },
  }
}
