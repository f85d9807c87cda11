/** Hosts and host groups of the mock. */
import type {
  DhChapWritable,
  Host,
  HostCreateWritable,
  HostGroup,
  HostGroupCreate,
  HostGroupPatch,
  HostPatchWritable,
} from '@/api'
import { json, noContent, plan, refusal } from './answers'
import type { Gone, Line, Made, Planned, Shown } from './answers'
import { MADE, freshId } from './made'
import type { World } from './world'

export function host(name: string, change: Partial<Host> = {}): Host {
  return {
    id: `host-${name.replace(/\D/g, '') || name}`,
    name,
    description: '',
    os_type: 'linux',
    iqns: [`iqn.2004-10.io.example:${name}`],
    wwpns: [],
    nqns: [],
    chap: null,
    dhchap: null,
    opens_without_missing_after_s: null,
    group: null,
    group_id: null,
    target_iqn: `iqn.2026-11.io.lunette:0a1b2c3d4e5f.${name}`,
    subsystem_nqn: null,
    export: { state: 'open', reason: null },
    mappings: 8,
    sessions: 1,
    connection: 'online',
    last_seen_at: MADE,
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

export function group(name: string, hosts: Host[], change: Partial<HostGroup> = {}): HostGroup {
  return {
    id: `group-${name}`,
    name,
    description: '',
    hosts: hosts.map((one) => one.name),
    host_ids: hosts.map((one) => one.id),
    opens_without_missing_after_s: null,
    target_iqn: `iqn.2026-11.io.lunette:0a1b2c3d4e5f.${name}`,
    subsystem_nqn: null,
    export: { state: 'none', reason: null },
    mappings: 0,
    created_at: MADE,
    updated_at: MADE,
    ...change,
  }
}

/** What the API tells of a DH-CHAP key: everything but the key. */
const asked = (given: DhChapWritable | null | undefined): Host['dhchap'] =>
  given
    ? {
        hash: given.hash ?? 'sha256',
        dh_group: given.dh_group ?? 'ffdhe2048',
        is_mutual: Boolean(given.mutual_secret),
      }
    : null

export function createHost(world: World, body: HostCreateWritable): Planned<Made<Host>> | Response {
  const wrong: [string, string][] = []
  if (!/^[A-Za-z0-9][\w.-]{0,62}$/.test(body.name))
    wrong.push(['name', 'a name starts with a letter or digit'])
  if (world.hosts.some((one) => one.name === body.name))
    wrong.push(['name', `host ${body.name} exists already`])
  body.iqns?.forEach((iqn, index) => {
    const owner = world.hosts.find((one) => one.iqns.includes(iqn))
    if (owner) wrong.push([`iqns[${index}]`, `initiator ${iqn} belongs to host ${owner.name}`])
    else if (!/^iqn\.\d{4}-\d\d\.[\w.-]+/.test(iqn)) wrong.push([`iqns[${index}]`, 'expected an iSCSI name'])
  })
  if (wrong.length) return refusal(`Host ${body.name} was not created`, wrong)
  const fresh = host(body.name, {
    id: freshId('host'),
    os_type: body.os_type ?? 'linux',
    iqns: body.iqns ?? [],
    wwpns: body.wwpns ?? [],
    nqns: body.nqns ?? [],
    chap: body.chap ? { user: body.chap.user, mutual_user: body.chap.mutual_user ?? null } : null,
    dhchap: asked(body.dhchap),
    description: body.description ?? '',
    opens_without_missing_after_s: body.opens_without_missing_after_s ?? null,
    export: { state: 'none', reason: null },
    mappings: 0,
    sessions: 0,
    connection: 'never',
    last_seen_at: null,
  })
  const warnings = body.chap
    ? []
    : ["Without CHAP, any system that uses the host's initiator name can access its volumes."]
  return {
    plan: plan(
      `Create host ${body.name}`,
      [['create', 'host', body.name, `${fresh.iqns.length} initiators`]],
      { warnings },
    ),
    apply: () => {
      world.hosts.push(fresh)
      return json(fresh, 201)
    },
  }
}

export function patchHost(_world: World, row: Host, body: HostPatchWritable): Planned<Shown<Host>> {
  const { chap, dhchap, opens_without_missing_after_s: deadline, ...rest } = body
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null))
  const lines = Object.keys(body).map((key): Line => ['change', 'host', row.name, `${key} is set`])
  return {
    plan: plan(`Change host ${row.name}`, lines),
    apply: () => {
      Object.assign(row, given)
      if (chap !== undefined) row.chap = chap && { user: chap.user, mutual_user: chap.mutual_user ?? null }
      if (dhchap !== undefined) row.dhchap = asked(dhchap)
      if (deadline !== undefined) row.opens_without_missing_after_s = deadline
      return json(row)
    },
  }
}

export function deleteHost(world: World, row: Host): Planned<Gone> | Response {
  const owned = world.mappings.filter((one) => one.host_id === row.id)
  if (owned.length)
    return refusal(
      `Host ${row.name} was not deleted`,
      [['host', `it has ${owned.length} mappings; delete them first`]],
      409,
    )
  return {
    plan: plan(`Delete host ${row.name}`, [['destroy', 'host', row.name, 'its initiators are deleted']]),
    apply: () => {
      world.hosts = world.hosts.filter((one) => one !== row)
      return noContent()
    },
  }
}

export function createGroup(world: World, body: HostGroupCreate): Planned<Made<HostGroup>> {
  const members = world.hosts.filter((one) => body.hosts?.includes(one.name) || body.hosts?.includes(one.id))
  const fresh = group(body.name, members, { id: freshId('group'), description: body.description ?? '' })
  return {
    plan: plan(
      `Create host group ${body.name}`,
      [['create', 'host group', body.name, `of ${members.length} hosts`]],
      { reused: world.reused },
    ),
    apply: () => {
      world.hostGroups.push(fresh)
      for (const member of members) Object.assign(member, { group: fresh.name, group_id: fresh.id })
      return json(fresh, 201)
    },
  }
}

export function patchGroup(world: World, row: HostGroup, body: HostGroupPatch): Planned<Shown<HostGroup>> {
  const names = body.hosts ?? row.hosts
  return {
    plan: plan(`Change host group ${row.name}`, [
      ['change', 'host group', row.name, `hosts: ${names.join(', ')}`],
    ]),
    apply: () => {
      row.name = body.name ?? row.name
      row.hosts = names
      row.host_ids = world.hosts.filter((one) => names.includes(one.name)).map((one) => one.id)
      return json(row)
    },
  }
}

export function deleteGroup(world: World, row: HostGroup): Planned<Gone> {
  return {
    plan: plan(`Delete host group ${row.name}`, [
      ['destroy', 'host group', row.name, `its ${row.hosts.length} hosts remain`],
    ]),
    apply: () => {
      world.hostGroups = world.hostGroups.filter((one) => one !== row)
      return noContent()
    },
  }
}
