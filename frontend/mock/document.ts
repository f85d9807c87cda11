/** The API's own description and the schema of a site document, as the appliance gives them. */
import siteSchema from '../../docs/reference/site.schema.json?raw'
import text from '../../backend/openapi.json?raw'

export const answer = () => new Response(text, { headers: { 'Content-Type': 'application/json' } })

/** The paths of the API, with what each operation of them takes. */
export interface ApiOperation {
  operationId: string
  parameters?: { in: string; name: string; schema: ParameterSchema }[]
  responses: Record<string, unknown>
  requestBody?: { content: Record<string, unknown> }
}
export interface ParameterSchema {
  type?: string
  anyOf?: { type?: string }[]
}
const api: { paths: Record<string, Record<string, ApiOperation>> } = JSON.parse(text)
export const paths = api.paths
export const schema: Record<string, unknown> = JSON.parse(siteSchema)
