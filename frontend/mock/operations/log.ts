/** What happened: jobs, events, alerts; and the search over everything. */
import * as alerts from '../alerts'
import { etag, find, json, page, shown } from '../answers'
import { advance, resolve } from '../jobs'
import { eventsOf, undoEvent } from '../journal'
import { search } from '../search'
import type { Handlers } from '../operation'

const EXPORT = { 'Content-Disposition': 'attachment; filename="lunette-events-20261123.json"' }

export const LOG = {
  jobList: ({ world, query }) => page(world.jobs, query),
  jobShow: ({ world, path }) => {
    const job = find(world.jobs, path.job)
    const tag = etag(job)
    return json(advance(world, job), 200, { ETag: tag })
  },
  jobResolve: ({ world, path, body }) => resolve(find(world.jobs, path.job), body),
  eventList: ({ world, query }) => page(eventsOf(world, query), query),
  eventExport: () => json([], 200, EXPORT),
  eventShow: ({ world, path }) => shown(find(world.events, path.event)),
  eventUndo: ({ world, path }) => undoEvent(world, find(world.events, path.event)),
  alertList: ({ world, query }) => alerts.listed(world.alerts, query),
  alertShow: ({ world, path }) => shown(find(world.alerts, path.alert)),
  alertAcknowledge: ({ world, path, body }) => alerts.acknowledge(find(world.alerts, path.alert), body),
  alertSilence: ({ world, path, body }) => alerts.silence(find(world.alerts, path.alert), body),
  searchList: ({ world, query }) => json(search(world, query)),
  alertReopen: ({ world, path }) => alerts.reopen(find(world.alerts, path.alert)),
} satisfies Partial<Handlers>
