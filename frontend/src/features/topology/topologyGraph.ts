/** A graph of the ways from disks to hosts in columns, and the parts of it that somebody asks about. Pure. */
import type { Disk, Family, Host, HostGroup, Mapping, Session, StorageArray } from '@/api'
import type { RelatedVolume } from '@/lists/everyRow'
import type { Tone } from '@/ui/tone'

export const COLUMNS = ['disk', 'array', 'volume', 'mapping', 'host', 'session'] as const
export type Column = (typeof COLUMNS)[number]

/** cut: behind a broken link, or of no use now. unknown: nobody can say. */
export type EdgeState = 'whole' | 'broken' | 'cut' | 'unknown'

export interface Edge {
  from: string
  to: string
  state: EdgeState
}

/** A mapping as its volume, its host and its group tell it. */
export type RelatedMapping = Pick<
  Mapping,
  | 'id'
  | 'volume'
  | 'volume_id'
  | 'host'
  | 'host_group'
  | 'family'
  | 'lun'
  | 'state'
  | 'reason'
  | 'target_iqn'
  | 'subsystem_nqn'
>

export interface GraphNode {
  key: string
  column: Column
  name: string
  tone: Tone
  /** i18n key of the word that goes with the tone. */
  word: string
  /** The first broken link of a way. */
  isBroken: boolean
  reason?: string
  /** What the page is about when this is chosen: `host/esx1`. */
  focus?: string
  /** What folds together with it when there is no room; see topologyFold. */
  kin: string
  /** The same with less told apart. */
  broadKin: string
  disk?: Disk
  array?: StorageArray
  volume?: RelatedVolume
  mapping?: RelatedMapping
  host?: Host
  sessions?: Session[]
}

/** From a volume to a host, by name; no host where its group has none. */
export interface Way {
  volume: string
  host?: string
}

/** A place where ways break first: the nodes in red, and the ways through them. */
export interface Break {
  nodes: GraphNode[]
  ways: Way[]
}

export interface Graph {
  nodes: Map<string, GraphNode>
  edges: Edge[]
  breaks: Break[]
}

export interface Facts {
  disks: readonly Disk[]
  arrays: readonly StorageArray[]
  volumes: readonly RelatedVolume[]
  mappings: readonly RelatedMapping[]
  hosts: readonly Host[]
  groups: readonly HostGroup[]
  /** Undefined while nobody knows who is logged in. */
  sessions?: readonly Session[]
  /** The families whose sessions the kernel does not tell of. */
  unseen: readonly Family[]
}

export const focusOf = (noun: string, name: string): string => `${noun}/${name}`
export const ownerFocus = ({ host, host_group }: { host: string | null; host_group: string | null }) =>
  host === null ? focusOf('host_group', host_group ?? '') : focusOf('host', host)

/** The nodes on a way through any of these, to both sides. */
export function throughOf(graph: Pick<Graph, 'edges'>, starts: readonly string[]): Set<string> {
  const found = new Set(starts)
  for (const [here, there] of [
    ['from', 'to'],
    ['to', 'from'],
  ] as const) {
    const next = new Map<string, string[]>()
    for (const edge of graph.edges) {
      const known = next.get(edge[here])
      if (known) known.push(edge[there])
      else next.set(edge[here], [edge[there]])
    }
    const queue = [...starts]
    const seen = new Set(starts)
    for (let key = queue.pop(); key !== undefined; key = queue.pop())
      for (const other of next.get(key) ?? [])
        if (!seen.has(other)) {
          seen.add(other)
          queue.push(other)
        }
    for (const key of seen) found.add(key)
  }
  return found
}

/** The nodes a focus names: one thing, or every mapping of a host group. */
export function startsOf(graph: Graph, focus: string): string[] {
  const slash = focus.indexOf('/')
  const [noun, name] = [focus.slice(0, slash), focus.slice(slash + 1)]
  const isMeant = (node: GraphNode): boolean => {
    if (noun === 'host_group')
      return node.mapping?.host_group === name || (node.column === 'host' && node.host?.group === name)
    if (noun === 'disk') return node.disk?.id === name || node.disk?.serial === name
    return node.column === noun && (node.name === name || node.key === focus)
  }
  return [...graph.nodes.values()].filter(isMeant).map(({ key }) => key)
}

/** The graph with these nodes alone, and of what is broken in it the ways that lead through them. */
export function partOf(graph: Graph, keys: ReadonlySet<string>): Graph {
  const nodes = new Map([...graph.nodes].filter(([key]) => keys.has(key)))
  const names = new Set([...nodes.values()].map(({ column, name }) => `${column} ${name}`))
  const isIn = ({ volume, host }: Way) =>
    names.has(`volume ${volume}`) && (host === undefined || names.has(`host ${host}`))
  return {
    nodes,
    edges: graph.edges.filter(({ from, to }) => keys.has(from) && keys.has(to)),
    breaks: graph.breaks
      .map((one) => ({ nodes: one.nodes.filter(({ key }) => keys.has(key)), ways: one.ways.filter(isIn) }))
      .filter((one) => one.nodes.length && one.ways.length),
  }
}
