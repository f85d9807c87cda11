/** A job of the mock goes a step further each time it is read. */
import type { Job, JobResolve, Plan } from '@/api'
import { json, plan, refusal } from './answers'
import type { Planned, Started } from './answers'
import { volumesJob } from './journal'
import { freshId } from './made'
import type { World } from './world'

export function start(world: World, from: Plan, noun: string, finish: () => void): Started {
  const steps = from.steps.map((step, index) => ({
    index,
    kind: step.kind,
    description: step.description,
    devices: step.devices,
    irreversible: step.irreversible,
    state: 'pending' as const,
    detail: '',
    error: null,
    started_at: null,
    finished_at: null,
  }))
  const job = volumesJob({
    id: freshId('job'),
    title: from.title,
    state: 'running',
    progress_percent: 0,
    steps_done: 0,
    steps_total: steps.length,
    message: steps[0]?.description ?? '',
    resource_kind: noun,
    finished_at: null,
    steps,
  })
  world.jobs.push(job)
  world.finishing.set(job.id, finish)
  return json(job, 202)
}

/** A stuck job is tried again, or given up. */
export function resolve(job: Job, { how }: JobResolve): Planned | Response {
  if (job.state !== 'stuck')
    return refusal(`Job ${job.title} was not resolved`, [['job', `it is ${job.state}, not stuck`]], 409)
  const isAbandoned = how === 'abandon'
  const detail = isAbandoned ? 'is abandoned; the machine stays as it is' : 'is rolled back again'
  return {
    plan: plan(`Resolve job ${job.title}`, [['change', 'job', job.title, detail]]),
    apply: () => {
      const finished_at = new Date().toISOString()
      Object.assign(job, { state: isAbandoned ? 'failed' : 'undone', message: detail, finished_at })
      return json(job, 202)
    },
  }
}

/** One step further; the last one does the work, or fails if the world says so. */
export function advance(world: World, job: Job): Job {
  const finish = world.finishing.get(job.id)
  if (!finish) return job
  const step = job.steps[job.steps_done]
  if (step && world.failingStep) {
    step.state = 'undone'
    step.error = { type: 'tool-failed', detail: world.failingStep }
    Object.assign(job, { state: 'undone', message: 'all its changes were rolled back', error: step.error })
    world.finishing.delete(job.id)
    return job
  }
  if (step) step.state = 'done'
  job.steps_done += 1
  job.progress_percent = (job.steps_done / job.steps_total) * 100
  job.message = job.steps[job.steps_done]?.description ?? 'done'
  if (job.steps_done < job.steps_total) return job
  Object.assign(job, { state: 'succeeded', finished_at: new Date().toISOString() })
  world.finishing.delete(job.id)
  finish()
  return job
}
