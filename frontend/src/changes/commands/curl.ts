/** The same request with curl. */
import { hasSecret } from './asked'
import type { Asked } from './asked'
import { onInput, quoted } from './shell'

/** `confirmed`: the volumes in use that have to be named. */
export function curlOf(asked: Asked, origin: string, confirmed: readonly string[]): string {
  const { known, path, query, body } = asked
  const place = known.path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  for (const name of confirmed) search.append('confirm', name)
  const address = `${origin}${place}${search.size ? `?${search.toString()}` : ''}`
  const hasBody = Object.keys(body).length > 0
  const parts = [
    `curl --fail-with-body -X ${known.method} ${quoted(address)}`,
    '-H "Authorization: Bearer $LUNETTE_TOKEN"',
    ...(known.hasMatch ? [`-H ${quoted(`If-Match: ${asked.match ?? '*'}`)}`] : []),
    ...(known.hasKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(hasBody ? ["-H 'Content-Type: application/json'"] : []),
  ]
  const joined = (all: string[]): string => all.join(' \\\n  ')
  if (!hasBody) return joined(parts)
  if (hasSecret(body)) return onInput(joined([...parts, '--data-binary @-']), body)
  return joined([...parts, `-d ${quoted(JSON.stringify(body, null, 2))}`])
}
