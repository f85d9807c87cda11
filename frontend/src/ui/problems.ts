/** Turns whatever a call threw into one readable problem; the server's own words win. */

export interface FieldProblem {
  field: string
  message: string
}

export interface ReadableProblem {
  title: string
  detail?: string
  status?: number
  fields: FieldProblem[]
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const isFieldProblem = (value: unknown): value is FieldProblem =>
  isRecord(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string'

/** `unreachable` is the title for an error that never came from the API: no network, a proxy's HTML page. */
export function readProblem(error: unknown, unreachable: string): ReadableProblem {
  if (!isRecord(error) || typeof error['title'] !== 'string') return { title: unreachable, fields: [] }
  return {
    title: error['title'],
    detail: typeof error['detail'] === 'string' ? error['detail'] : undefined,
    status: typeof error['status'] === 'number' ? error['status'] : undefined,
    fields: Array.isArray(error['errors']) ? error['errors'].filter(isFieldProblem) : [],
  }
}

/** The message for one form field, whether the server named it `name` or `body.name`. */
export function fieldMessage(problem: ReadableProblem | undefined, field: string): string | undefined {
  return problem?.fields.find((entry) => entry.field.split(/[./]/).at(-1) === field)?.message
}
