/** Operations that the mock refuses, with the reason. */
import type { OperationId } from '../operation'

export const NOT_MOCKED = {
  arrayGrow: 'no test grows an array by exchanged disks',
  diskLocate: 'the lamp of a drive is seen at the machine only',
  diskWipe: 'no test wipes a disk that is in no array',
  eventStream: 'an EventSource asks for it: FakeEventSource in visit.ts, and server.ts for the dev server',
  healthShow: 'the page does not ask for it',
  hostKitDownload: 'a link of the browser',
  jobResolve: 'no job of the mock is stuck',
  performanceList: 'the page does not ask for it',
  scheduleRun: 'no test runs a schedule at once',
  volumePatch: 'no test edits a volume',
} as const satisfies Partial<Record<OperationId, string>>
