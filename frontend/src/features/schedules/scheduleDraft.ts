/** The content of the form of a schedule, and its requests. */
import type { MissedRuns, Retention, Schedule, ScheduleAction, ScheduleCreate, SchedulePatch } from '@/api'

export const SPANS = ['last', 'hourly', 'daily', 'weekly', 'monthly'] as const
export type Span = (typeof SPANS)[number]

/** The most common times; any other is written in the form of cron. */
export const TIMES = ['0 * * * *', '0 3 * * *', '0 3 * * SUN', '0 3 1 * *'] as const

export interface ScheduleDraft {
  name: string
  action: ScheduleAction
  subjects: string[]
  when: string
  keep: Record<Span, number>
  /** A pattern; empty leaves it unchanged, or uses the appliance's default. */
  snapshotName: string
  missed: MissedRuns
  enabled: boolean
  description: string
}

export function draftOf(schedule?: Schedule): ScheduleDraft {
  return {
    name: schedule?.name ?? '',
    action: schedule?.action ?? 'snapshot',
    subjects: [...(schedule?.volumes ?? []), ...(schedule?.arrays ?? [])],
    when: schedule?.when ?? '0 3 * * *',
    keep: schedule?.keep ? { ...schedule.keep } : { last: 7, hourly: 0, daily: 0, weekly: 0, monthly: 0 },
    snapshotName: schedule?.snapshot_name ?? '',
    missed: schedule?.missed ?? 'run_once',
    enabled: schedule?.enabled ?? true,
    description: schedule?.description ?? '',
  }
}

const kept = (draft: ScheduleDraft): Retention =>
  Object.fromEntries(SPANS.map((span) => [span, Number(draft.keep[span]) || 0]))

const what = (draft: ScheduleDraft) =>
  draft.action === 'snapshot'
    ? {
        volumes: draft.subjects,
        keep: kept(draft),
        ...(draft.snapshotName.trim() && { snapshot_name: draft.snapshotName.trim() }),
      }
    : { arrays: draft.subjects }

const common = ({ name, when, missed, enabled, description }: ScheduleDraft) => ({
  name: name.trim(),
  when,
  missed,
  enabled,
  description,
})

export const createBody = (draft: ScheduleDraft): ScheduleCreate => ({
  ...common(draft),
  action: draft.action,
  ...what(draft),
})

export const patchBody = (draft: ScheduleDraft): SchedulePatch => ({ ...common(draft), ...what(draft) })
