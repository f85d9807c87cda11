import { describe, expect, it } from 'vitest'
import type { Facts } from './topologyGraph'
import { buildGraph } from './topologyBuild'
import { partOf, startsOf, throughOf } from './topologyGraph'
import { fold, folded } from './topologyFold'
import { layOut, settleTops } from './topologyLayout'
import { tank, volume } from '../../../mock/storage'
import { host } from '../../../mock/hosts'
import { makeWorld } from '../../../mock/world'

const OPEN = { host_group: null, family: 'scsi' as const, lun: 1, state: 'open' as const, reason: null }
const SERVED = {
  age_s: 1,
  device: '',
  size_bytes: 1,
  active: true,
  open: true,
  sealed: true,
  used_bytes: null,
  block_bytes: 512,
}

function factsOf(world = makeWorld()): Facts {
  return {
    ...world,
    volumes: world.volumes.map((one) => ({ ...one, observed: SERVED })),
    groups: world.hostGroups,
    unseen: [],
  }
}

const red = (facts: Facts) =>
  [...buildGraph(facts).nodes.values()]
    .filter(({ isBroken }) => isBroken)
    .map(({ column, name }) => `${column} ${name}`)

describe('the first broken link', () => {
  it('is none while all is well', () => {
    const graph = buildGraph(factsOf())
    expect(graph.breaks).toEqual([])
    expect(graph.edges.filter(({ state }) => state === 'broken')).toEqual([])
  })

  it('is an array that lost too many disks, with the disks, and what stands on it is cut off', () => {
    const facts = factsOf()
    const array = tank([...facts.disks.slice(0, 8)], 32)
    const members = array.members.map((one, slot) => (slot < 2 ? { ...one, state: 'missing' } : one))
    const broken = { ...facts, arrays: [{ ...array, health: 'failed' as const, members }] }
    expect(red(broken)).toEqual(['array tank', 'disk S64HNE0T501118', 'disk S64HNE0T502118'])
    const { edges, breaks } = buildGraph(broken)
    expect(breaks.map(({ ways }) => ways.length)).toEqual([32])
    const states = (start: string) =>
      new Set(edges.filter(({ from }) => from.startsWith(start)).map(({ state }) => state))
    expect(states('array/')).toEqual(new Set(['cut']))
    expect(states('mapping/')).toEqual(new Set(['cut']))
  })

  it('is no disk whose array runs without it', () => {
    const facts = factsOf()
    const array = tank([...facts.disks.slice(0, 8)], 32)
    const members = array.members.map((one, slot) => (slot === 2 ? { ...one, state: 'faulty' } : one))
    expect(red({ ...facts, arrays: [{ ...array, health: 'degraded', members }] })).toEqual([])
  })

  it('is a volume that is not there, and the mapping of one that is but waits', () => {
    const facts = factsOf()
    const blocked = { state: 'blocked' as const, reason: 'waiting for lun01' }
    const volumes = facts.volumes.map((one) =>
      one.name === 'lun01'
        ? { ...one, export: blocked, observed: null }
        : one.name === 'lun02'
          ? { ...one, export: blocked }
          : one,
    )
    const mappings = facts.mappings.map((one) =>
      ['lun01', 'lun02'].includes(one.volume) ? { ...one, ...blocked } : one,
    )
    expect(red({ ...facts, volumes, mappings })).toEqual(['volume lun01', 'mapping LUN 2'])
  })

  it('is a host that is not logged in, unless nobody knows who is', () => {
    const facts = factsOf()
    const sessions = facts.sessions?.filter(({ host: name }) => name !== 'host2') ?? []
    expect(red({ ...facts, sessions })).toEqual([`session ${facts.hosts[1]?.iqns[0]}`])
    expect(red({ ...facts, sessions, unseen: ['scsi'] })).toEqual([])
    expect(red({ ...facts, sessions: undefined })).toEqual([])
  })

  it('is a login elsewhere too: the host does not see what another target offers', () => {
    const facts = factsOf()
    const sessions = facts.sessions?.map((one) =>
      one.host === 'host1' ? { ...one, target_iqn: 'iqn.x:other' } : one,
    )
    expect(red({ ...facts, sessions })).toHaveLength(1)
  })

  it('is an initiator that nobody has entered', () => {
    const facts = factsOf()
    const hosts = facts.hosts.map((one) => (one.name === 'host3' ? { ...one, iqns: [], wwpns: [] } : one))
    expect(red({ ...facts, hosts, sessions: facts.sessions?.filter((one) => one.host !== 'host3') })).toEqual(
      ['session '],
    )
  })
})

describe('a focus', () => {
  it('leaves what is on the ways of a host', () => {
    const graph = buildGraph(factsOf())
    const part = partOf(graph, throughOf(graph, startsOf(graph, 'host/host2')))
    const count = (column: string) => [...part.nodes.values()].filter((node) => node.column === column).length
    expect(['disk', 'array', 'volume', 'mapping', 'host', 'session'].map(count)).toEqual([8, 1, 8, 8, 1, 1])
  })

  it('tells only of what breaks on its ways', () => {
    const graph = buildGraph({ ...factsOf(), sessions: [] })
    const part = partOf(graph, throughOf(graph, startsOf(graph, 'host/host2')))
    expect(graph.breaks.map(({ nodes, ways }) => [nodes.length, ways.length])).toEqual([[4, 32]])
    expect(part.breaks.map(({ nodes, ways }) => [nodes.length, ways.length])).toEqual([[1, 8]])
  })

  it('on a host group shows its hosts and what they share', () => {
    const facts = factsOf()
    const [first] = facts.mappings
    if (!first) throw new Error('The mock maps nothing.')
    const shared = { ...first, id: 'm-group', host: null, host_id: null, host_group: 'esx-cluster' }
    const graph = buildGraph({ ...facts, mappings: [...facts.mappings, shared] })
    const part = partOf(graph, throughOf(graph, startsOf(graph, 'host_group/esx-cluster')))
    expect(
      [...part.nodes.values()].filter(({ column }) => column === 'host').map(({ name }) => name),
    ).toContain('esx-cluster-node-a')
  })

  it.each(['host/nobody', 'nonsense', ''])('on %j finds nothing', (focus) =>
    expect(startsOf(buildGraph(factsOf()), focus)).toEqual([]),
  )
})

/** A thousand volumes for forty hosts. */
function large(change: (number: number) => Parameters<typeof volume>[1] = () => ({})): Facts {
  const facts = factsOf()
  const hosts = Array.from({ length: 40 }, (_, index) =>
    host(`esx${index + 1}`, { id: `h${index}`, iqns: [`iqn.x:esx${index + 1}`] }),
  )
  const volumes = Array.from({ length: 1000 }, (_, index) => {
    const owner = {
      mapping_id: `m${index}`,
      host: `esx${(index % 40) + 1}`,
      ...OPEN,
    }
    return volume(index, {
      id: `v${index}`,
      name: `vol${index}`,
      mapped_to: [owner],
      observed: SERVED,
      ...change(index),
    })
  })
  const mappings = volumes.map((one, index) => ({
    ...(facts.mappings[0] ?? ({} as never)),
    id: `m${index}`,
    volume: one.name,
    volume_id: one.id,
    host: one.mapped_to[0]?.host ?? null,
    ...one.export,
  }))
  return { ...facts, hosts, volumes, mappings, sessions: undefined }
}

describe('what does not fit', () => {
  it('is folded by array and host, and counted', () => {
    const picture = fold(buildGraph(large()))
    expect([...picture.lines.values()].filter(({ column }) => column === 'volume')).toHaveLength(40)
    expect(folded(picture).map(({ column, things, lines }) => [column, things, lines])).toEqual([
      ['volume', 1000, 40],
      ['mapping', 1000, 40],
    ])
    expect(layOut(picture, 1400, () => true).height).toBeLessThan(40 * 60)
  })

  it('never hides what is broken', () => {
    const blocked = { export: { state: 'blocked' as const, reason: 'gone' }, observed: null }
    const picture = fold(buildGraph(large((number) => (number === 500 ? blocked : {}))))
    const broken = [...picture.lines.values()].filter(({ isBroken }) => isBroken)
    expect(broken.map(({ members }) => members.map(({ name }) => name))).toEqual([['vol500']])
    expect(picture.edges.filter(({ state }) => state === 'broken')).toHaveLength(1)
  })

  it('is as bad as its worst member', () => {
    const facts = factsOf()
    const [disk] = facts.disks
    if (!disk) throw new Error('The mock has no disks.')
    const disks = Array.from({ length: 30 }, (_, slot) => ({ ...disk, id: `d${slot}` }))
    const array = tank(disks, 32)
    const members = array.members.map((one, slot) => (slot === 2 ? { ...one, state: 'missing' } : one))
    const { lines } = fold(buildGraph({ ...facts, disks, arrays: [{ ...array, members }] }))
    const line = [...lines.values()].find(({ column }) => column === 'disk')
    expect(line?.members).toHaveLength(30)
    expect([line?.tone, line?.worst.name]).toEqual(['bad', disks[2]?.serial])
    expect(line?.worst.word).toBe('arrays.members.missing')
  })

  it('is drawn in time: ten thousand volumes for five hundred hosts', () => {
    const facts = large()
    const hosts = Array.from({ length: 500 }, (_, index) => host(`esx${index + 1}`, { id: `h${index}` }))
    const volumes = Array.from({ length: 10_000 }, (_, index) => ({
      ...(facts.volumes[0] ?? ({} as never)),
      id: `v${index}`,
      mapped_to: [
        {
          mapping_id: `m${index}`,
          host: `esx${(index % 500) + 1}`,
          ...OPEN,
        },
      ],
    }))
    const mappings = volumes.map(({ id, mapped_to }) => ({
      ...(facts.mappings[0] ?? ({} as never)),
      id: `m${id}`,
      volume_id: id,
      host: mapped_to[0]?.host ?? null,
    }))
    const picture = fold(buildGraph({ ...facts, hosts, volumes, mappings }))
    expect(picture.lines.size).toBeLessThan(60)
  })
})

describe('the places', () => {
  it('keep order, distance and the frame', () => {
    const tops = settleTops([0, 0, 500, 90], [30, 30, 30, 30], 200)
    expect(tops).toEqual([...tops].sort((one, other) => one - other))
    tops.slice(1).forEach((top, index) => expect(top - (tops[index] ?? 0)).toBeGreaterThanOrEqual(36))
    expect(tops[0]).toBeGreaterThanOrEqual(0)
    expect((tops[3] ?? 0) + 30).toBeLessThanOrEqual(200)
  })

  it('of lines never overlap, and links go from left to right', () => {
    const picture = fold(buildGraph(factsOf()))
    const { boxes, order } = layOut(picture, 1000, ({ column }) => column === 'array')
    for (const keys of order)
      keys.slice(1).forEach((key, index) => {
        const above = boxes.get(keys[index] ?? '')
        expect(boxes.get(key)?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0))
      })
    for (const { from, to } of picture.edges) expect(boxes.get(from)?.x).toBeLessThan(boxes.get(to)?.x ?? 0)
  })
})
