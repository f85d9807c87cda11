/** The current figures of a performance, and the lines of its charts. */
import type { Performance, PerformanceCourse, PerformanceHistory } from '@/api'
import { formatBytes, formatCount } from '@/ui/format'
import type { SizeSystem } from '@/ui/format'
import type { ChartLine } from '@/ui/timeChart'

export const RANGES = ['1h', '24h', '7d', '30d'] as const
export type Range = (typeof RANGES)[number]
export type ChartKey = 'iops' | 'throughput' | 'latency'

export interface Chart {
  key: ChartKey
  lines: ChartLine[]
  format: (value: number) => string
  base: number
}

const READ = 'text-primary'
const WRITTEN = 'text-amber-600 dark:text-amber-400'
const SMALL = 10

export const formatLatency = (ms: number): string => `${ms === 0 ? '0' : ms.toPrecision(ms < 1 ? 2 : 3)} ms`
export const formatIops = (iops: number): string =>
  formatCount(iops < SMALL ? Math.round(iops * SMALL) / SMALL : Math.round(iops))
export const formatRate =
  (sizes: SizeSystem) =>
  (bytes: number): string =>
    `${formatBytes(Math.round(bytes), sizes)}/s`

/** What it does now, in words; a dash for what is not counted. */
export function figuresOf(now: Performance | null, sizes: SizeSystem) {
  const rate = formatRate(sizes)
  const words = (value: number | null | undefined, format: (value: number) => string) =>
    value == null ? '—' : format(value)
  return [
    { key: 'iops' as const, words: words(now?.iops, formatIops) },
    { key: 'read' as const, words: words(now?.read_bytes_s, rate) },
    { key: 'written' as const, words: words(now?.write_bytes_s, rate) },
    { key: 'latency' as const, words: words(now?.latency_ms, formatLatency) },
  ]
}

const isMeasured = ({ mean }: PerformanceCourse): boolean => mean.some((one) => one !== null)

/** Reads and writes separately, or the sum where they are not counted separately. A figure that is never counted has no chart. */
export function chartsOf(
  history: PerformanceHistory,
  sizes: SizeSystem,
  label: (key: 'read' | 'written' | 'all') => string,
): Chart[] {
  const line = (key: 'read' | 'written' | 'all', { mean, max }: PerformanceCourse): ChartLine => ({
    key,
    label: label(key),
    colour: key === 'written' ? WRITTEN : READ,
    mean,
    max,
  })
  const lines = (read: PerformanceCourse, written: PerformanceCourse, all: PerformanceCourse) =>
    isMeasured(read) || isMeasured(written)
      ? [line('read', read), line('written', written)]
      : isMeasured(all)
        ? [line('all', all)]
        : []
  const { read_bytes_s: read, write_bytes_s: written } = history
  const charts: Chart[] = [
    {
      key: 'iops',
      lines: lines(history.read_iops, history.write_iops, history.iops),
      format: formatIops,
      base: 10,
    },
    {
      key: 'throughput',
      lines: lines(read, written, read),
      format: formatRate(sizes),
      base: sizes === 'binary' ? 1024 : 10,
    },
    {
      key: 'latency',
      lines: lines(history.read_latency_ms, history.write_latency_ms, history.latency_ms),
      format: formatLatency,
      base: 10,
    },
  ]
  return charts.filter((chart) => chart.lines.length > 0)
}
