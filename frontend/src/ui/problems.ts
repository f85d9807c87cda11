/** Turns any thrown error into one readable problem; the server's own words take precedence. */

/** An object that prevents a change. */
export interface Blocker {
  noun: string
  id: string
  name: string
}

export interface FieldProblem {
  field: string
  message: string
  blockers?: Blocker[]
}

export interface ReadableProblem {
  /** One of the API's closed set. */
  type?: string
  title: string
  detail?: string
  status?: number
  fields: FieldProblem[]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isFieldProblem = (value: unknown): value is FieldProblem =>
  isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string'

/** `unreachable` is the title for an error that is not from the API: no network, a proxy's HTML page. */
export function readProblem(error: unknown, unreachable: string): ReadableProblem {
  if (!isRecord(error) || typeof error['title'] !== 'string') return { title: unreachable, fields: [] }
  return {
    type: typeof error['type'] === 'string' ? error['type'] : undefined,
    title: error['title'],
    detail: typeof error['detail'] === 'string' ? error['detail'] : undefined,
    status: typeof error['status'] === 'number' ? error['status'] : undefined,
    fields: Array.isArray(error['errors']) ? error['errors'].filter(isFieldProblem) : [],
  }
}

/** The path that a problem names, without its place in the request: `body.mappings[0].lun` is `lun`. */
const leaf = (field: string): string => field.split(/[./]/).at(-1) ?? field

/** The message for one form field, whether the server named it `name` or `body.name`; `iqns[2]` belongs to `iqns`. */
export function fieldMessage(problem: ReadableProblem | undefined, field: string): string | undefined {
  const found = problem?.fields.filter((entry) => leaf(entry.field).replace(/\[\d+\]$/, '') === field)
  return found?.length ? found.map((entry) => entry.message).join('; ') : undefined
}
