/** The appliance itself: settings, schedules, certificate, updates, power, backup. */
import { bound, find, json, page, problem, shown } from '../answers'
import * as certificate from '../certificate'
import type { Handlers } from '../operation'
import * as power from '../power'
import { performanceOf, performances } from '../performance'
import * as schedules from '../schedules'
import * as settings from '../settings'
import * as takeover from '../takeover'
import * as updates from '../updates'
import * as whole from '../whole'

const SUPPORT = { 'Content-Disposition': 'attachment; filename="lunette-support-rack4.tar.gz"' }

export const APPLIANCE = {
  statusShow: ({ world }) => json(world.status),
  performanceShow: ({ world, path, query }) => performanceOf(world, path.performance, query.range),
  performanceList: ({ world, query }) => performances(world, query),
  settingShow: ({ world }) => shown(world.settings),
  settingPatch: ({ world, body }) => settings.patchSettings(world, body),
  alertTest: ({ world }) => settings.testAlerts(world),
  scheduleList: ({ world, query }) => page(world.schedules, query),
  schedulePreview: ({ query }) => json(schedules.previewOf(query.when)),
  scheduleCreate: ({ world, body }) => schedules.createSchedule(world, body),
  scheduleShow: ({ world, path }) => shown(find(world.schedules, path.schedule)),
  schedulePatch: ({ world, path, body, request }) =>
    schedules.patchSchedule(world, bound(world.schedules, path.schedule, request), body),
  scheduleDelete: ({ world, path, request }) =>
    schedules.deleteSchedule(world, bound(world.schedules, path.schedule, request)),
  scheduleRun: ({ world, path }) => schedules.runSchedule(world, find(world.schedules, path.schedule)),
  certificateShow: ({ world }) =>
    world.isProxied
      ? problem(404, 'Not found', 'This API serves no certificate: a proxy in front of it does.')
      : json(world.certificate),
  certificateReplace: ({ world, body }) => certificate.replace(world, body),
  certificateRevert: ({ world }) => certificate.revert(world),
  certificateSelfSign: ({ world }) => certificate.selfSign(world),
  updateShow: ({ world }) => json(world.updates),
  updateCreate: ({ world, body }) => updates.install(world, body),
  updateUpload: async ({ body }) => updates.take(await body.text()),
  updateFetch: ({ body }) => updates.take(body.url),
  updateRollBack: ({ world }) => updates.rollBack(world),
  applianceRestart: ({ world }) => power.restart(world),
  appliancePowerOff: ({ world }) => power.powerOff(world),
  applianceSupport: () => json(new Blob(['bundle'], { type: 'application/gzip' }), 200, SUPPORT),
  applianceBackup: ({ body }) => whole.backup(body),
  applianceStoreBackup: ({ world }) => settings.storeBackup(world),
  applianceRestore: ({ world, query, body }) => whole.restore(world, body, query.dry_run ?? false),
  applianceRebuild: ({ query, body }) => takeover.rebuild(body, query.dry_run ?? false),
} satisfies Partial<Handlers>
