/** The API's own description, as the appliance gives it. */
import text from '../../backend/openapi.json?raw'

export const answer = () => new Response(text, { headers: { 'Content-Type': 'application/json' } })
