/** The API's own description and the schema of a site document, as the appliance gives them. */
import siteSchema from '../../docs/reference/site.schema.json?raw'
import text from '../../backend/openapi.json?raw'

const asJson = (words: string) => () =>
  new Response(words, { headers: { 'Content-Type': 'application/json' } })

export const answer = asJson(text)
export const schema = asJson(siteSchema)
