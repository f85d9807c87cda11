/** Answers requests from a World the way the API does: each operation by its handler, changes with a dry run. */
import { problem, Refused } from './answers'
import type { Answer, Planned } from './answers'
import * as document from './document'
import type { ApiOperation } from './document'
import { HANDLERS } from './operations'
import { NOT_MOCKED } from './operations/notMocked'
import { routeOf } from './routes'
import type { Route } from './routes'
import * as secondFactor from './secondFactor'
import { CSRF } from './world'
import type { World } from './world'

type Result = Response | Answer | Planned<Answer>
type AnyHandler = (call: never) => Promise<Result> | Result
const handlers = new Map<string, AnyHandler>(Object.entries(HANDLERS))
const reasons = new Map<string, string>(Object.entries(NOT_MOCKED))

const nameOf = ({ operationId }: ApiOperation): string =>
  operationId.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase())

function responseOf({ status, body, headers }: Answer): Response {
  if (body === undefined) return new Response(null, { status, headers })
  return body instanceof Blob
    ? new Response(body, { status, headers })
    : Response.json(body, { status, headers })
}

/** They are POST, and only look. */
const LOOKS = ['site_inspect', 'site_plan']

/** Whatever changes something, and can be sent under a key, must be. */
const needsKey = ({ operationId, parameters }: ApiOperation): boolean =>
  !LOOKS.includes(operationId) && Boolean(parameters?.some(({ name }) => name === 'Idempotency-Key'))

const isRehearsal = (url: URL): boolean => url.searchParams.get('dry_run') === 'true'

function settle(result: Result, url: URL): Response {
  if (result instanceof Response) return result
  if (!('plan' in result)) return responseOf(result)
  if (isRehearsal(url)) return Response.json(result.plan)
  const confirmed = url.searchParams.getAll('confirm')
  const busy = result.plan.volumes.find((one) => one.busy && !confirmed.includes(one.name))
  return busy
    ? problem(409, 'In use', `Hosts are using volumes that would be removed: ${busy.name}.`)
    : responseOf(result.apply())
}

async function bodyOf(operation: ApiOperation, request: Request): Promise<unknown> {
  if (!operation.requestBody) return undefined
  return 'application/json' in operation.requestBody.content
    ? request.json().catch(() => undefined)
    : request.blob()
}

async function operate(world: World, request: Request, url: URL, route: Route): Promise<Response> {
  const { operation, path, query } = route
  const name = nameOf(operation)
  const handler = handlers.get(name)
  if (!handler) return problem(404, 'Not found', `The mock has no ${name}: ${reasons.get(name)}.`)
  const call = { world, request, path, query, body: await bodyOf(operation, request) }
  try {
    // The document says which operation a request is, so here alone no type says that the handler fits the call.
    return settle(await handler(call as never), url)
  } catch (caught) {
    if (caught instanceof Refused) return caught.response
    throw caught
  }
}

/** An answer is kept under its key, so that a request that is sent again changes nothing. */
async function once(world: World, request: Request, url: URL, route: Route): Promise<Response> {
  if (!needsKey(route.operation) || isRehearsal(url)) return operate(world, request, url, route)
  const key = request.headers.get('Idempotency-Key')
  if (!key)
    return problem(
      400,
      'No key',
      'The mock wants an Idempotency-Key with every such change, so that none is forgotten.',
    )
  const kept = world.answered.get(key)
  if (kept) return kept.clone()
  const answer = await operate(world, request, url, route)
  if (!answer.ok) return answer
  world.answered.set(key, answer.clone())
  if (!world.isAnswerLost) return answer
  delete world.isAnswerLost
  throw new TypeError('Failed to fetch')
}

/** One function that answers like the appliance; `Response` in, `Response` out, for tests and for the dev server. */
export function makeApi(world: World): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url)
    const path = url.pathname.replace('/api/v1', '')
    if (path !== '/login' && !world.me) return problem(401, 'Login required', 'No session.')
    if (world.broken && /(s|drift)$/.test(path) && path !== '/status')
      return problem(503, 'Not available', world.broken)
    if (request.method !== 'GET' && path !== '/login' && request.headers.get('X-CSRF-Token') !== CSRF)
      return problem(403, 'Permission denied', 'The header X-CSRF-Token is missing.')
    if (secondFactor.isMissing(world) && !secondFactor.BEFORE.has(path))
      return problem(403, 'Second-factor setup required', 'None yet.', [], 'second-factor-required')
    if (path === '/openapi.json') return document.answer()
    const route = routeOf(request.method, url)
    return route
      ? once(world, request, url, route)
      : problem(404, 'Not found', `The API has no ${request.method} ${path}.`)
  }
}
