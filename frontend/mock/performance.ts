/** Measurements of the mock world: a load that rises and falls, with a gap. */
import type {
  ArrayCapacity,
  HistoryRange,
  Performance,
  PerformanceCourse,
  PerformanceHistory,
  PerformancePage,
  StorageArray,
} from '@/api'
import { json, problem } from './answers'
import type { Shown } from './answers'
import type { World } from './world'

const STEPS: Record<HistoryRange, [seconds: number, count: number]> = {
  '1h': [10, 360],
  '24h': [60, 1440],
  '7d': [600, 1008],
  '30d': [3600, 720],
}
const GAP = { from: 100, to: 112 }
const DAY_MS = 86_400_000
const RECORDED_DAYS = 30
const FULL_IN_DAYS = 60
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

export function performanceOf(
  world: World,
  id: string,
  range: HistoryRange = '1h',
): Shown<PerformanceHistory> | Response {
  const known = everything(world).find((one) => one.id === id)
  if (!known) return problem(404, 'Not found', `No measured object has the ID ${id}.`)
  const isIdle = world.volumes.some((one) => one.id === id && !one.mapped_to.length) || world.isUnmeasured
  const [step, length] = STEPS[range]
  const count = isIdle ? 0 : length
  const end = Math.floor(Date.now() / 1000 / step + 1) * step * 1000
  const course = (value: (iops: number) => number): PerformanceCourse => {
    const mean = Array.from({ length: count }, (_, index) =>
      index >= GAP.from && index < GAP.to ? null : value(25_000 + 16_250 * Math.sin(index / 40)),
    )
    return { mean, max: mean.map((one) => one && one * 1.2) }
  }
  const isSum = known.read_iops === null
  const nothing: PerformanceCourse = { mean: Array(count).fill(null), max: Array(count).fill(null) }
  const counted = (value: (iops: number) => number) => (isSum ? nothing : course(value))
  return json({
    of: known.of,
    id,
    name: known.name,
    now: isIdle ? null : known,
    range,
    step_seconds: step,
    times: Array.from({ length: count }, (_, index) =>
      new Date(end - (count - index) * step * 1000).toISOString(),
    ),
    iops: course((iops) => iops),
    read_iops: counted((iops) => iops * 0.7),
    write_iops: counted((iops) => iops * 0.3),
    read_bytes_s: course((iops) => iops * 0.7 * IO_BYTES),
    write_bytes_s: course((iops) => iops * 0.3 * IO_BYTES),
    latency_ms: counted((iops) => 0.3 + iops / 300_000),
    read_latency_ms: counted((iops) => 0.2 + iops / 400_000),
    write_latency_ms: counted((iops) => 0.5 + iops / 200_000),
  })
}

/** The busiest first, whatever the order that was asked for: all but the first do half of what the one before does. */
export function performances(
  world: World,
  { of = 'volume', limit }: { of?: Performance['of']; limit?: number },
): Shown<PerformancePage> {
  const found = world.isUnmeasured ? [] : everything(world).filter((one) => one.of === of)
  const items = found.slice(0, limit).map((one, index) => ({
    ...one,
    iops: one.iops / 2 ** index,
    read_bytes_s: one.read_bytes_s / 2 ** index,
    write_bytes_s: one.write_bytes_s / 2 ** index,
  }))
  const at = new Date().toISOString()
  return json({ items, next_cursor: null, total: found.length, at, seconds: 5, unseen: [] })
}

function everything(world: World): Performance[] {
  const host = (id: string, name: string): Performance => ({
    ...now('host', id, name),
    read_iops: null,
    write_iops: null,
    latency_ms: null,
    read_latency_ms: null,
    write_latency_ms: null,
    in_flight: null,
    busy_percent: null,
  })
  return [
    now('appliance', 'appliance', world.status.name),
    ...world.volumes.map(({ id, name }) => now('volume', id, name)),
    ...world.arrays.map(({ id, name }) => now('array', id, name)),
    ...world.disks.map(({ id }) => now('disk', id, id)),
    ...world.hosts.map(({ id, name }) => host(id, name)),
  ]
}

export function capacityOf({ usable_bytes: usable, free_bytes: free }: StorageArray): Shown<ArrayCapacity> {
  const used = usable - (free ?? 0)
  const growth = Math.round((usable - used) / FULL_IN_DAYS)
  const day = (from: number) => new Date(Date.now() + from * DAY_MS).toISOString().slice(0, 10)
  return json({
    days: Array.from({ length: RECORDED_DAYS }, (_, index) => ({
      day: day(index + 1 - RECORDED_DAYS),
      used_bytes: Math.max(0, used - growth * (RECORDED_DAYS - 1 - index)),
      usable_bytes: usable,
    })),
    trend: growth ? 'growing' : 'steady',
    bytes_per_day: growth,
    full_on: growth ? day(FULL_IN_DAYS) : null,
  })
}
