/** What is measured in the mock world: a load that goes up and down, with one span that nobody measured. */
import type { Performance, PerformanceHistory } from '@/api'
import { json, problem } from './answers'
import type { Shown } from './answers'
import type { World } from './world'

const PERIOD_MS = 10_000
const KEPT = 360
const GAP = new Set(Array.from({ length: 12 }, (_, index) => 100 + index))
const IO_BYTES = 16_384

const now = (of: Performance['of'], id: string, name: string): Performance => ({
  of,
  id,
  name,
  host: null,
  protocol: null,
  target: null,
  iops: 41_250,
  read_iops: 30_000,
  write_iops: 11_250,
  read_bytes_s: 30_000 * IO_BYTES,
  write_bytes_s: 11_250 * IO_BYTES,
  latency_ms: 0.42,
  read_latency_ms: 0.31,
  write_latency_ms: 0.71,
  in_flight: 12,
  busy_percent: of === 'appliance' ? null : 64,
})

export function performanceOf(world: World, id: string): Shown<PerformanceHistory> | Response {
  const volume = world.volumes.find((one) => one.id === id)
  if (id !== 'appliance' && !volume) return problem(404, 'Not found', `No measured object has the ID ${id}.`)
  const [of, name] = volume ? (['volume', volume.name] as const) : (['appliance', world.status.name] as const)
  const isIdle = volume?.mapped_to.length === 0 || world.isUnmeasured
  const end = Date.now()
  const points = Array.from({ length: isIdle ? 0 : KEPT }, (_, index) => {
    const iops = 25_000 + 16_250 * Math.sin(index / 40)
    return {
      at: new Date(end - (KEPT - index) * PERIOD_MS).toISOString(),
      iops,
      read_bytes_s: iops * 0.7 * IO_BYTES,
      write_bytes_s: iops * 0.3 * IO_BYTES,
      latency_ms: index % 90 === 0 ? null : 0.3 + iops / 300_000,
    }
  }).filter((_, index) => !GAP.has(index))
  const history: PerformanceHistory = { of, id, name, now: isIdle ? null : now(of, id, name), points }
  return json(history)
}
