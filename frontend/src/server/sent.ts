/** What the page asked the API for, kept as long as somebody holds the request: the same is shown as a command. */

export interface Sent {
  method: string
  /** With the names of its parameters: `/api/v1/volumes/{volume}:grow`. */
  template: string
  path: Record<string, unknown>
  query: Record<string, unknown>
  body: unknown
  /** The state that was read, to which the change is bound. */
  match: string | null
}

/** The used part of what the generated client is called with. */
interface Options {
  url: string
  path?: unknown
  query?: unknown
  body?: unknown
}

const kept = new WeakMap<Request, Sent>()
const record = (value: unknown): Record<string, unknown> => ({ ...(value as object | undefined) })

export function keepSent(request: Request, { url, path, query, body }: Options): void {
  const match = request.headers.get('If-Match')
  kept.set(request, {
    method: request.method,
    template: url,
    path: record(path),
    query: record(query),
    body,
    match,
  })
}

export const sentOf = (request: Request | undefined): Sent | undefined => request && kept.get(request)
