import type { JobKind, JobStep, JobSummary } from '@/api'
import type { Tone } from '@/ui/tone'

const TONES: Record<JobSummary['state'], Tone> = {
  pending: 'quiet',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  undone: 'warn',
  stuck: 'bad',
}

/** A kind that the API has more must be named here, or it could not be asked for. */
const EVERY_KIND: Record<JobKind, true> = {
  'array.create': true,
  'array.delete': true,
  'array.change': true,
  'array.start': true,
  'array.adopt': true,
  'array.release': true,
  'volumes.create': true,
  'volume.delete': true,
  'volume.recover': true,
  'volume.erase': true,
  'volume.grow': true,
  'volume.roll_back': true,
  'snapshots.create': true,
  'snapshot.delete': true,
  'snapshot.recover': true,
  'snapshot.erase': true,
  'thin_pool.grow': true,
  'interface.change': true,
  'session.disconnect': true,
  'site.apply': true,
  'site.adopt': true,
  'schedule.run': true,
  'system.update': true,
  'system.restart': true,
  'system.power_off': true,
  'disk.wipe': true,
  'disk.locate': true,
  'host.verify_paths': true,
}
export const KINDS = Object.keys(EVERY_KIND) as JobKind[]

interface StepLook {
  icon: string
  look: string
}

const STEPS: Record<JobStep['state'], StepLook> = {
  pending: { icon: 'i-lucide-circle', look: 'text-muted' },
  started: { icon: 'i-lucide-loader-circle', look: 'text-primary motion-safe:animate-spin' },
  done: { icon: 'i-lucide-circle-check', look: 'text-success' },
  undoing: { icon: 'i-lucide-loader-circle', look: 'text-warning motion-safe:animate-spin' },
  undone: { icon: 'i-lucide-undo-2', look: 'text-muted' },
  undo_failed: { icon: 'i-lucide-circle-x', look: 'text-error' },
}

export const jobTone = (job: Pick<JobSummary, 'state'>): Tone => TONES[job.state]
export const stepLook = (step: JobStep): StepLook => STEPS[step.state]
export const isUnfinished = (job: JobSummary): boolean => job.state === 'pending' || job.state === 'running'
