/** Lets the Vite dev server answer /api/v1 from the mock world. User admin, password as in world.ts. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin } from 'vite'

const HEARTBEAT_MS = 5_000

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const method = incoming.method ?? 'GET'
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers)) if (value) headers.set(name, String(value))
  const body = method === 'GET' ? undefined : new Uint8Array(await readBody(incoming))
  return new Request(`http://${incoming.headers.host}${incoming.url}`, { method, headers, body })
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
  response.write(': connected\n\n')
  const beating = setInterval(() => response.write('event: heartbeat\ndata: {}\n\n'), HEARTBEAT_MS)
  response.on('close', () => clearInterval(beating))
}

export function mockApi(): Plugin {
  return {
    name: 'lunette:mock-api',
    apply: 'serve',
    async configureServer(server) {
      if (process.env['VITEST']) return
      const { makeWorld } = (await server.ssrLoadModule('/mock/world.ts')) as typeof import('./world')
      const { makeApi } = (await server.ssrLoadModule('/mock/api.ts')) as typeof import('./api')
      /** Each browser has a world of its own, so that two of them log in separately. */
      const worlds = new Map<string, (request: Request) => Promise<Response>>()
      function worldOf(incoming: IncomingMessage, outgoing: ServerResponse) {
        const known = /mock-world=(\w+)/.exec(incoming.headers.cookie ?? '')?.[1]
        const id = known ?? Math.random().toString(36).slice(2)
        const answer = worlds.get(id) ?? makeApi(makeWorld())
        worlds.set(id, answer)
        outgoing.setHeader('Set-Cookie', `mock-world=${id}; Path=/; HttpOnly`)
        return answer
      }
      server.middlewares.use(async (incoming, outgoing, next) => {
        if (!incoming.url?.startsWith('/api/v1/')) return next()
        if (incoming.url.startsWith('/api/v1/events/stream')) return stream(outgoing)
        const response = await worldOf(incoming, outgoing)(await toRequest(incoming))
        outgoing.writeHead(response.status, Object.fromEntries(response.headers))
        outgoing.end(Buffer.from(await response.arrayBuffer()))
      })
    },
  }
}
