/** The figures of a performance, and the course of each in the last hour. */
import type { PerformanceHistory, PerformancePoint } from '@/api'
import { formatBytes, formatCount } from '@/ui/format'
import type { SizeSystem } from '@/ui/format'

export interface Course {
  key: 'iops' | 'read' | 'written' | 'latency'
  /** What it is now; undefined while nobody knows. */
  now?: string
  /** The most of the last hour. */
  most?: string
  points: { at: number; value: number | null }[]
}

const formatLatency = (ms: number): string => `${ms.toPrecision(ms < 1 ? 2 : 3)} ms`

export function coursesOf(history: PerformanceHistory, sizes: SizeSystem): Course[] {
  const perSecond = (bytes: number) => `${formatBytes(Math.round(bytes), sizes)}/s`
  const count = (iops: number) => formatCount(Math.round(iops))
  const course = (
    key: Course['key'],
    now: number | null | undefined,
    value: (point: PerformancePoint) => number | null,
    words: (value: number) => string,
  ): Course => {
    const points = history.points.map((point) => ({ at: Date.parse(point.at), value: value(point) }))
    const known = points.flatMap((point) => point.value ?? [])
    return {
      key,
      points,
      ...(now != null && { now: words(now) }),
      ...(known.length > 0 && { most: words(Math.max(...known)) }),
    }
  }
  return [
    course('iops', history.now?.iops, (point) => point.iops, count),
    course('read', history.now?.read_bytes_s, (point) => point.read_bytes_s, perSecond),
    course('written', history.now?.write_bytes_s, (point) => point.write_bytes_s, perSecond),
    course('latency', history.now?.latency_ms, (point) => point.latency_ms, formatLatency),
  ]
}
