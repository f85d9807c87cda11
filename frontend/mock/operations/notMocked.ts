/** Operations that the mock refuses, with the reason. */
import type { OperationId } from '../operation'

export const NOT_MOCKED = {
  eventStream: 'an EventSource asks for it: FakeEventSource in visit.ts, and server.ts for the dev server',
  healthShow: 'the page does not ask for it',
  hostKitDownload: 'a link of the browser',
} as const satisfies Partial<Record<OperationId, string>>
