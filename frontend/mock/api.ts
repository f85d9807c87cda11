/** Answers requests from a World the way the API does: lists with search, order and cursor, problems, the login. */
import type { Me, Problem, ProblemField } from '@/api'
import { CSRF } from './world'
import type { World } from './world'

type Row = object
type Handler = (request: Request, url: URL) => Response | Promise<Response>

const json = (body: unknown, status = 200) => Response.json(body, { status })

export function problem(
  status: number,
  title: string,
  detail: string,
  errors: ProblemField[] = [],
): Response {
  const body: Problem = { type: 'invalid', title, status, detail, instance: '/', errors }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/problem+json' },
  })
}

const field = (row: Row, key: string): unknown => (row as Record<string, unknown>)[key]

function compare(left: unknown, right: unknown): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left).localeCompare(String(right), 'en', { numeric: true })
}

function page(rows: Row[], url: URL): Response {
  const { name, sort, limit, cursor } = Object.fromEntries(url.searchParams)
  const states = url.searchParams.getAll('state')
  const text = name?.replaceAll('*', '').toLowerCase()
  const found = rows.filter(
    (row) =>
      (!text || JSON.stringify(row).toLowerCase().includes(text)) &&
      (!states.length || states.includes(String(field(row, 'state')))),
  )
  if (sort) {
    const key = sort.replace(/^-/, '')
    const sign = sort.startsWith('-') ? -1 : 1
    found.sort((left, right) => sign * compare(field(left, key), field(right, key)))
  }
  const from = Number(cursor ?? 0)
  const to = from + Number(limit ?? 50)
  return json({
    items: found.slice(from, to),
    next_cursor: to < found.length ? String(to) : null,
    total: found.length,
  })
}

async function login(world: World, request: Request): Promise<Response> {
  const { username, password } = (await request.json()) as { username: string; password: string }
  if (username !== 'admin' || password !== world.password)
    return problem(401, 'Log in first', 'User name and password do not match.')
  const me: Me = {
    username: 'admin',
    role: 'administrator',
    password_change_required: world.isOneTime,
    csrf_token: CSRF,
  }
  world.me = me
  return json(me)
}

async function changePassword(world: World, request: Request): Promise<Response> {
  const body = (await request.json()) as { current_password: string; new_password: string }
  if (body.current_password !== world.password)
    return problem(422, 'The request is not valid', 'The password was not changed.', [
      { field: 'current_password', value: null, message: 'this is not the current password' },
    ])
  if (body.new_password.length < 12)
    return problem(422, 'The request is not valid', 'The password was not changed.', [
      { field: 'new_password', value: null, message: 'give at least 12 characters' },
    ])
  world.password = body.new_password
  world.isOneTime = false
  if (world.me) world.me = { ...world.me, password_change_required: false }
  return new Response(null, { status: 204 })
}

function logout(world: World): Response {
  delete world.me
  return new Response(null, { status: 204 })
}

/** One function that answers like the appliance; `Response` in, `Response` out, for tests and for the dev server. */
export function makeApi(world: World): (request: Request) => Promise<Response> {
  const handlers: Record<string, Handler> = {
    'POST /login': (request) => login(world, request),
    'POST /logout': () => logout(world),
    'POST /password': (request) => changePassword(world, request),
    'GET /me': () => json(world.me),
    'GET /status': () => json(world.status),
    'GET /disks': (_, url) => page(world.disks, url),
    'GET /arrays': (_, url) => page(world.arrays, url),
    'GET /volumes': (_, url) => page(world.volumes, url),
    'GET /sessions': (_, url) => page(world.sessions, url),
    'GET /jobs': (_, url) => page(world.jobs, url),
    'GET /events': (_, url) => page(world.events, url),
    'GET /alerts': (_, url) => page(world.alerts, url),
  }
  return async (request) => {
    const url = new URL(request.url)
    const path = url.pathname.replace('/api/v1', '')
    const job = world.jobs.find(({ id }) => path === `/jobs/${id}`)
    const handler = job ? () => json(job) : handlers[`${request.method} ${path}`]
    if (!handler) return problem(404, 'Not found', `The mock has no ${request.method} ${path}.`)
    if (path !== '/login' && !world.me) return problem(401, 'Log in first', 'No session.')
    if (world.broken && /s$/.test(path) && path !== '/status')
      return problem(503, 'Not available', world.broken)
    if (request.method !== 'GET' && path !== '/login' && request.headers.get('X-CSRF-Token') !== CSRF)
      return problem(403, 'Not allowed', 'The header X-CSRF-Token is missing.')
    return handler(request, url)
  }
}
