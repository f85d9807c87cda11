import type { JobStep, JobSummary } from '@/api'
import type { Tone } from '@/ui/tone'

const TONES: Record<JobSummary['state'], Tone> = {
  pending: 'quiet',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  undone: 'warn',
  stuck: 'bad',
}

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
