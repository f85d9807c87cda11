/** Folds what is alike into one line where a column would have more lines than a person reads. Pure. */
import type { Tone } from '@/ui/tone'
import type { Column, Edge, EdgeState, Graph, GraphNode } from './topologyGraph'

/** Lines of a column that are still read one by one. */
const ROOM: Record<Column, number> = { disk: 24, array: 24, volume: 48, mapping: 64, host: 48, session: 48 }

/** One line of the picture: one thing, or many that are alike. */
export interface Line {
  key: string
  column: Column
  /** Of the worst member, as of any chain. */
  tone: Tone
  worst: GraphNode
  isBroken: boolean
  members: [GraphNode, ...GraphNode[]]
}

export interface Picture {
  lines: Map<string, Line>
  edges: Edge[]
}

/** A folded edge is as bad as its worst: red is never hidden in a fold. */
const WORST: readonly EdgeState[] = ['whole', 'unknown', 'cut', 'broken']

const TONES: readonly Tone[] = ['good', 'quiet', 'busy', 'warn', 'bad']
const worse = (one: GraphNode, other: GraphNode): GraphNode =>
  TONES.indexOf(other.tone) > TONES.indexOf(one.tone) ? other : one

function gather(nodes: readonly GraphNode[], keyOf: (node: GraphNode) => string): Map<string, GraphNode[]> {
  const found = new Map<string, GraphNode[]>()
  for (const node of nodes) {
    const known = found.get(keyOf(node))
    if (known) known.push(node)
    else found.set(keyOf(node), [node])
  }
  return found
}

/** Broken ones stay on their own while there is room for them. */
function foldColumn(column: Column, nodes: readonly GraphNode[]): Map<string, GraphNode[]> {
  const room = ROOM[column]
  const isIdle = ({ disk }: GraphNode) => disk !== undefined && disk.array_id === null
  if (nodes.length <= room)
    return gather(nodes, (node) => (isIdle(node) ? `fold disk ${node.kin}` : node.key))
  const broken = nodes.filter(({ isBroken }) => isBroken).length
  const alone = (node: GraphNode) => (node.isBroken && broken <= room / 2 ? node.key : undefined)
  const narrow = gather(nodes, (node) => alone(node) ?? `fold ${column} ${node.kin} ${node.isBroken}`)
  if (narrow.size <= room) return narrow
  return gather(nodes, (node) => alone(node) ?? `fold ${column} ${node.broadKin} ${node.isBroken}`)
}

export function fold(graph: Pick<Graph, 'nodes' | 'edges'>): Picture {
  const lines = new Map<string, Line>()
  const place = new Map<string, string>()
  const columns = gather([...graph.nodes.values()], ({ column }) => column)
  for (const [column, nodes] of columns)
    for (const [group, members] of foldColumn(column as Column, nodes)) {
      const [first, ...others] = members
      if (!first) continue
      const key = others.length ? group : first.key
      for (const node of members) place.set(node.key, key)
      const worst = members.reduce(worse)
      const isBroken = members.some((node) => node.isBroken)
      lines.set(key, {
        key,
        column: first.column,
        tone: worst.tone,
        worst,
        isBroken,
        members: [first, ...others],
      })
    }
  const edges = new Map<string, Edge>()
  for (const edge of graph.edges) {
    const [from, to] = [place.get(edge.from), place.get(edge.to)]
    if (from === undefined || to === undefined) continue
    const known = edges.get(`${from}\n${to}`)
    const state = known && WORST.indexOf(known.state) > WORST.indexOf(edge.state) ? known.state : edge.state
    edges.set(`${from}\n${to}`, { from, to, state })
  }
  return { lines, edges: [...edges.values()] }
}

/** How many things of each noun stand in how many lines, of the nouns that are folded. */
export function folded({ lines }: Picture): { column: Column; things: number; lines: number }[] {
  const counts = new Map<Column, { things: number; lines: number; isFolded: boolean }>()
  for (const { column, members } of lines.values()) {
    const known = counts.get(column) ?? { things: 0, lines: 0, isFolded: false }
    const isIdle = members[0].disk?.array_id === null
    if (isIdle) continue
    counts.set(column, {
      things: known.things + members.length,
      lines: known.lines + 1,
      isFolded: known.isFolded || members.length > 1,
    })
  }
  return [...counts].flatMap(([column, { things, lines: count, isFolded }]) =>
    isFolded ? [{ column, things, lines: count }] : [],
  )
}
