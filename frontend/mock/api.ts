/** Answers requests from a World the way the API does: lists, single things with ETags, changes with a dry run. */
import type { UpdateFetch } from '@/api'
import { etag, json, page, problem } from './answers'
import type { Row, Wish } from './answers'
import { advance } from './jobs'
import * as certificate from './certificate'
import * as clock from './clock'
import * as document from './document'
import * as drives from './drives'
import * as interfaces from './interfaces'
import * as people from './people'
import * as secondFactor from './secondFactor'
import { layouts } from './layouts'
import { performanceOf } from './performance'
import * as power from './power'
import * as takeover from './takeover'
import * as updates from './updates'
import * as ways from './ways'
import * as whole from './whole'
import { CSRF } from './world'
import type { World } from './world'
import { CREATES, DELETES, LISTS, PATCHES, VERBS } from './nouns'

type Handler = (request: Request, url: URL) => Response | Promise<Response>

function settle(wish: Wish | Response, url: URL): Response {
  if (wish instanceof Response) return wish
  if (url.searchParams.get('dry_run') === 'true') return json(wish.plan)
  const confirmed = url.searchParams.getAll('confirm')
  const busy = wish.plan.volumes.find((one) => one.busy && !confirmed.includes(one.name))
  return busy
    ? problem(409, 'In use', `Hosts are using volumes that would be removed: ${busy.name}.`)
    : wish.apply()
}

function find(rows: Row[], reference: string): Row | undefined {
  return rows.find((row) => {
    const { id, name, username, wwpn, seq } = row as {
      id?: string
      name?: string
      username?: string
      wwpn?: string
      seq?: number
    }
    return [id, name, username, wwpn, seq?.toString()].includes(reference)
  })
}

async function answerOne(
  world: World,
  request: Request,
  url: URL,
  list: string,
  reference: string,
): Promise<Response> {
  const [id = '', verb] = decodeURIComponent(reference).split(/:(?=[a-z_-]+$)/)
  const row = find(LISTS(world)[list] ?? [], id)
  if (!row) return problem(404, 'Not found', `There is no ${id} among the ${list}.`)
  if (verb === 'why') return json(whole.why(world, row as never))
  const asked = verb && VERBS(world)[`${list}:${verb}`]
  if (asked) {
    const body: unknown = await request.json().catch(() => undefined)
    return settle(asked(row as never, body as never), url)
  }
  if (request.method === 'GET') {
    const tag = etag(row)
    return json(list === 'jobs' ? advance(world, row as never) : row, 200, { ETag: tag })
  }
  const match = request.headers.get('If-Match')
  if (!match) return problem(428, 'If-Match is required', 'Send If-Match with the ETag you read.')
  if (match !== etag(row))
    return problem(412, 'Changed by another request', 'It was changed meanwhile. Read it again, then repeat.')
  const change = (request.method === 'PATCH' ? PATCHES : DELETES)(world)[list]
  if (!change) return problem(405, 'Method not allowed', `The mock has no ${request.method} /${list}.`)
  const body = request.method === 'PATCH' ? await request.json() : undefined
  return settle(change(row as never, body as never), url)
}

async function answerList(world: World, request: Request, url: URL, list: string): Promise<Response> {
  const rows = LISTS(world)[list]
  if (request.method === 'GET' && rows)
    return page(rows, url, list === 'sessions' ? { unseen: world.unseenSessions } : {})
  const create = CREATES(world)[list]
  if (request.method !== 'POST' || !create)
    return problem(404, 'Not found', `The mock has no ${request.method} /${list}.`)
  const key = request.headers.get('Idempotency-Key')
  if (!key)
    return problem(
      400,
      'No key',
      'The mock wants an Idempotency-Key with every POST, so that none is forgotten.',
    )
  const kept = world.answered.get(key)
  if (kept) return kept.clone()
  const answer = settle(create((await request.json()) as never), url)
  if (!answer.ok || url.searchParams.get('dry_run') === 'true') return answer
  world.answered.set(key, answer.clone())
  if (!world.isAnswerLost) return answer
  delete world.isAnswerLost
  throw new TypeError('Failed to fetch')
}

/** One function that answers like the appliance; `Response` in, `Response` out, for tests and for the dev server. */
export function makeApi(world: World): (request: Request) => Promise<Response> {
  const handlers: Record<string, Handler> = {
    'POST /login': (request) => people.login(world, request),
    'POST /logout': () => people.logout(world),
    'POST /password': (request) => people.changePassword(world, request),
    'POST /second-factor': (request) => secondFactor.offerFactor(world, request),
    'POST /second-factor:confirm': (request) => secondFactor.confirmFactor(world, request),
    'POST /second-factor:renew-codes': (request) => secondFactor.renewCodes(world, request),
    'POST /second-factor:remove': (request) => secondFactor.removeFactor(world, request),
    'GET /me': () => json(secondFactor.meOf(world)),
    'GET /openapi.json': document.answer,
    'GET /status': () => json(world.status),
    'GET /layouts': (_request, url) => json(layouts(world, url)),
    'GET /drift': () => json(world.drift),
    'GET /site': () => json(whole.site(world)),
    'GET /site:schema': document.schema,
    'GET /site:saveconfig': (_request, url) => json(takeover.saveconfig(url)),
    'POST /site:adopt': async (request, url) =>
      settle(takeover.adopt(world, (await request.json()) as never), url),
    [`POST /foreign-arrays/${takeover.FOREIGN}:start`]: (_request, url) =>
      settle(takeover.startForeign(world), url),
    [`POST /foreign-arrays/${takeover.FOREIGN}:adopt`]: async (request, url) =>
      settle(takeover.adoptForeign(world, (await request.json()) as never), url),
    'POST /site:inspect': () => json(takeover.inspection()),
    'POST /appliance:rebuild': async (request, url) => {
      const found = takeover.rebuild(
        (await request.json()) as never,
        url.searchParams.get('dry_run') === 'true',
      )
      return found instanceof Response ? found : json(found)
    },
    'GET /events:export': () =>
      new Response('[]', {
        headers: { 'Content-Disposition': 'attachment; filename="lunette-events-20261123.json"' },
      }),
    'POST /appliance:support': () =>
      new Response('bundle', {
        headers: { 'Content-Disposition': 'attachment; filename="lunette-support-rack4.tar.gz"' },
      }),
    'POST /appliance:backup': async (request) => whole.backup((await request.json()) as never),
    'POST /appliance:restore': async (request, url) =>
      whole.restore(world, (await request.json()) as never, url.searchParams.get('dry_run') === 'true'),
    'GET /settings': () => json(world.settings, 200, { ETag: etag(world.settings) }),
    'PATCH /settings': async (request, url) =>
      settle(clock.patchSettings(world, (await request.json()) as never), url),
    'GET /firewall': () => json(interfaces.firewall(world)),
    'GET /certificate': () => json(world.certificate),
    'POST /certificate:replace': async (request, url) =>
      settle(certificate.replace(world, (await request.json()) as never), url),
    'POST /certificate:revert': (_request, url) => settle(certificate.revert(world), url),
    'POST /certificate:self-sign': (_request, url) => settle(certificate.selfSign(world), url),
    'POST /settings/alerts:test': () => clock.testAlerts(world),
    'GET /updates': () => json(world.updates),
    'POST /updates': async (request, url) =>
      settle(updates.install(world, (await request.json()) as never), url),
    'POST /updates/bundle': async (request) => updates.take(await request.text()),
    'POST /updates/bundle:fetch': async (request) =>
      updates.take(((await request.json()) as UpdateFetch).url),
    'POST /appliance:restart': (_request, url) => settle(power.restart(world), url),
    'POST /appliance:power-off': (_request, url) => settle(power.powerOff(world), url),
    'POST /updates:roll-back': (_request, url) => settle(updates.rollBack(world), url),
  }
  return async (request) => {
    const url = new URL(request.url)
    const path = url.pathname.replace('/api/v1', '')
    if (path !== '/login' && !world.me) return problem(401, 'Login required', 'No session.')
    if (world.broken && /s$/.test(path) && path !== '/status')
      return problem(503, 'Not available', world.broken)
    if (request.method !== 'GET' && path !== '/login' && request.headers.get('X-CSRF-Token') !== CSRF)
      return problem(403, 'Permission denied', 'The header X-CSRF-Token is missing.')
    if (secondFactor.isMissing(world) && !secondFactor.BEFORE.has(path))
      return problem(403, 'Second-factor setup required', 'None yet.', [], 'second-factor-required')
    const handler = handlers[`${request.method} ${path}`]
    if (handler) return handler(request, url)
    const [, list = '', id, part] = path.split('/')
    if (list === 'performance' && id) return performanceOf(world, decodeURIComponent(id))
    if (part === 'history' && list === 'disks') return drives.history(world, decodeURIComponent(id ?? ''))
    if (part && list === 'hosts') return ways.answer(world, decodeURIComponent(id ?? ''), part, url)
    return id ? answerOne(world, request, url, list, id) : answerList(world, request, url, list)
  }
}
