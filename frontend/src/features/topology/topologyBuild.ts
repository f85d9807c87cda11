/**
 * Builds the graph and finds the first link that is broken on each way. Pure: what the lists of the API answered goes
 * in; a link that nobody can judge, because the agent is away, is not called broken.
 */
import type { Disk, Family, Host, Session, StorageArray } from '@/api'
import { arrayTone, arrayWord, memberTone } from '@/features/arrays/arrayState'
import { diskTone } from '@/features/disks/diskState'
import { exportTone } from '@/features/hosts/hostState'
import { volumeTone, volumeWord } from '@/features/volumes/volumeState'
import type { Tone } from '@/ui/tone'
import { focusOf, ownerFocus } from './topologyGraph'
import type { RelatedVolume } from '@/lists/everyRow'
import type { Break, Edge, EdgeState, Facts, Graph, GraphNode, RelatedMapping } from './topologyGraph'

const familyOf = ({ protocol }: Session): Family => (protocol.startsWith('nvme') ? 'nvme' : 'scsi')
/** Red is for the first broken link alone, and nothing behind it is in order. */
const behind = (before: GraphNode | undefined, tone: Tone): Tone => (before?.isBroken ? 'quiet' : tone)
const LOST = new Set(['missing', 'faulty'])

export function buildGraph(facts: Facts): Graph {
  const nodes = new Map<string, GraphNode>()
  const edges: Edge[] = []
  const breaks = new Map<string, Break>()
  const add = (node: GraphNode): GraphNode => {
    nodes.set(node.key, node)
    return node
  }
  const link = (from: string, to: string, state: EdgeState): void => void edges.push({ from, to, state })

  function breaksAt(key: string, broken: GraphNode[], volume: string, host?: string): void {
    const known = breaks.get(key) ?? { nodes: [], ways: [] }
    for (const node of broken) {
      node.isBroken = true
      if (!known.nodes.includes(node)) known.nodes.push(node)
    }
    known.ways.push({ volume, host })
    breaks.set(key, known)
  }

  const groups = new Map(facts.groups.map((group) => [group.name, group]))
  const arrays = new Map(facts.arrays.map((array) => [array.id, addArray(array)]))
  /** The disks an array that does not run has lost, by the array's key. */
  const lost = new Map<string, GraphNode[]>()
  for (const disk of facts.disks) addDisk(disk)
  const volumes = new Map(facts.volumes.map((volume) => [volume.id, addVolume(volume)]))
  const hosts = new Map(facts.hosts.map((host) => [host.name, addHost(host)]))
  /** What reaches each host's door, so that its initiators are all that is missing. */
  const offered = new Map<string, RelatedMapping[]>()
  const cut = new Set<string>()
  for (const mapping of facts.mappings) addMapping(mapping)
  for (const host of facts.hosts) addSessions(host)
  return {
    nodes,
    edges,
    breaks: [...breaks.values()].sort((one, other) => other.ways.length - one.ways.length),
  }

  function addArray(array: StorageArray): GraphNode {
    const tone = arrayTone(array)
    return add({
      key: `array/${array.id}`,
      column: 'array',
      name: array.name,
      tone,
      word: arrayWord(array),
      isBroken: tone === 'bad',
      focus: focusOf('array', array.name),
      kin: 'array',
      broadKin: 'array',
      array,
    })
  }

  function addDisk(disk: Disk): void {
    const array = disk.array_id === null ? undefined : arrays.get(disk.array_id)
    const member = array?.array?.members.find(({ disk_id }) => disk_id === disk.id)
    const isLost = disk.state === 'missing' || LOST.has(member?.state ?? '')
    const word = isLost && !LOST.has(member?.state ?? '') ? 'missing' : member?.state
    const node = add({
      key: `disk/${disk.id}`,
      column: 'disk',
      name: disk.serial,
      tone: isLost ? 'bad' : member ? memberTone(member) : diskTone(disk),
      word: word ? `arrays.members.${word}` : `disks.states.${disk.state}`,
      isBroken: isLost && Boolean(array?.isBroken),
      focus: focusOf('disk', disk.id),
      kin: `${disk.array_id ?? disk.state}`,
      broadKin: `${disk.array_id ?? 'none'}`,
      disk,
    })
    if (!array) return
    if (node.isBroken) lost.set(array.key, [...(lost.get(array.key) ?? []), node])
    const state = disk.state === 'unknown' ? 'unknown' : isLost ? 'cut' : 'whole'
    link(node.key, array.key, node.isBroken ? 'broken' : state)
  }

  function addVolume(volume: RelatedVolume): GraphNode {
    const owners = volume.mapped_to.map(ownerFocus).sort().join(' ')
    const array = arrays.get(volume.array_id)
    const tone = behind(array, volumeTone(volume))
    const node = add({
      key: `volume/${volume.id}`,
      column: 'volume',
      name: volume.name,
      tone,
      word: volumeWord(volume),
      // Blocked and not there: it is the volume itself. Blocked and there: its mapping waits for something.
      isBroken: volume.state === 'stuck' || (volume.export.state === 'blocked' && !volume.observed?.active),
      reason: volume.export.reason ?? undefined,
      focus: focusOf('volume', volume.name),
      kin: `${volume.array_id} ${owners} ${tone}`,
      broadKin: `${volume.array_id} ${tone}`,
      volume,
    })
    if (!array) return node
    if (array.isBroken) node.isBroken = false
    const state = array.array?.health === 'unknown' ? 'unknown' : 'whole'
    link(array.key, node.key, array.isBroken ? 'cut' : node.isBroken ? 'broken' : state)
    return node
  }

  function addHost(host: Host): GraphNode {
    // A host that has nothing of its own sees what its group has.
    const group = host.export.state === 'none' ? groups.get(host.group ?? '') : undefined
    const served = group?.export ?? host.export
    const tone = exportTone(served)
    return add({
      key: `host/${host.id}`,
      column: 'host',
      name: host.name,
      tone,
      word: `exports.${served.state}`,
      isBroken: false,
      reason: served.reason ?? undefined,
      focus: focusOf('host', host.name),
      kin: tone,
      broadKin: tone,
      host,
    })
  }

  function addMapping(mapping: RelatedMapping): void {
    const volume = volumes.get(mapping.volume_id)
    const array = volume?.volume && arrays.get(volume.volume.array_id)
    const before = [array, volume].find((one) => one?.isBroken)
    const node = add({
      key: `mapping/${mapping.id}`,
      column: 'mapping',
      name: `${mapping.family === 'nvme' ? 'NSID' : 'LUN'} ${mapping.lun}`,
      tone: behind(before, exportTone(mapping)),
      word: `exports.${mapping.state}`,
      isBroken: false,
      reason: mapping.reason ?? undefined,
      focus: focusOf('volume', mapping.volume),
      kin: `${volume?.kin} ${ownerFocus(mapping)} ${mapping.state}`,
      broadKin: `${volume?.broadKin} ${mapping.state}`,
      mapping,
    })
    const owned = mapping.host === null ? (groups.get(mapping.host_group ?? '')?.hosts ?? []) : [mapping.host]
    const told = owned.length ? owned : [undefined]
    if (before) {
      const broken = before === array ? [before, ...(lost.get(array.key) ?? [])] : [before]
      for (const host of told) breaksAt(before.key, broken, mapping.volume, host)
    } else if (mapping.state === 'blocked') {
      const place = `${ownerFocus(mapping)} ${mapping.reason}`
      for (const host of told) breaksAt(place, [node], mapping.volume, host)
    }
    const isShut = Boolean(before) || node.isBroken
    const state = mapping.state === 'unknown' ? 'unknown' : 'whole'
    if (volume) link(volume.key, node.key, before ? 'cut' : node.isBroken ? 'broken' : state)
    for (const name of owned) {
      const host = hosts.get(name)
      if (!host) continue
      link(node.key, host.key, isShut ? 'cut' : state)
      if (isShut) cut.add(name)
      else offered.set(name, [...(offered.get(name) ?? []), mapping])
    }
  }

  /** Each initiator of a host, and whether it is logged in where its volumes are. */
  function addSessions(host: Host): void {
    const wanted = offered.get(host.name) ?? []
    const own = facts.sessions?.filter((one) => one.host === host.name) ?? []
    const hasSession = (mapping: RelatedMapping): boolean =>
      own.some((one) =>
        one.protocol === 'fc'
          ? mapping.family === 'scsi'
          : familyOf(one) === mapping.family &&
            (one.target_iqn ?? one.subsystem_nqn) === (mapping.target_iqn ?? mapping.subsystem_nqn),
      )
    const isKnown = (family: Family): boolean =>
      facts.sessions !== undefined && !facts.unseen.includes(family)
    const waiting = wanted.filter((mapping) => isKnown(mapping.family) && !hasSession(mapping))

    function addInitiator(name: string, family: Family): void {
      const mine = own.filter((one) => one.initiator.toLowerCase() === name.toLowerCase())
      const missing = waiting.filter((mapping) => mapping.family === family)
      const isIn = mine.length > 0
      const isUseful = wanted.some((mapping) => mapping.family === family)
      const looks: [Tone, string] = missing.length
        ? ['bad', name ? (isIn ? 'topology.partlyIn' : 'topology.notIn') : 'topology.noInitiator']
        : isIn
          ? ['good', 'topology.loggedIn']
          : ['quiet', isKnown(family) ? 'topology.notIn' : 'topology.notKnown']
      const node = add({
        key: `session/${host.id}/${family}/${name}`,
        column: 'session',
        name,
        tone: looks[0],
        word: looks[1],
        isBroken: false,
        focus: focusOf('host', host.name),
        kin: `${host.id} ${looks[1]}`,
        broadKin: looks[1],
        sessions: mine,
      })
      const isIdle = !isUseful || (!wanted.length && cut.has(host.name))
      const state = !isKnown(family) ? 'unknown' : isIn || !isIdle ? 'whole' : 'cut'
      for (const mapping of missing) breaksAt(`session ${looks[1]}`, [node], mapping.volume, host.name)
      link(`host/${host.id}`, node.key, missing.length ? 'broken' : state)
    }

    for (const name of [...host.iqns, ...host.wwpns]) addInitiator(name, 'scsi')
    for (const name of host.nqns) addInitiator(name, 'nvme')
    for (const family of ['scsi', 'nvme'] as const) {
      const names = family === 'scsi' ? [...host.iqns, ...host.wwpns] : host.nqns
      if (!names.length && waiting.some((mapping) => mapping.family === family)) addInitiator('', family)
    }
  }
}
