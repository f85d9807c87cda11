/** Texts for a shell. */
import { hasSecret, jsonText } from './asked'
import type { Json } from './asked'

export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** On lines of their own if they are too long for one. */
export function lines(parts: readonly string[]): string {
  const line = parts.join(' ')
  return line.length <= 80 ? line : parts.join(' \\\n  ')
}

/** A document on standard input. Only one with secrets has variables, which the shell fills in. */
export function onInput(command: string, document: Json): string {
  const isFilled = hasSecret(document)
  const escape = (text: string): string => (isFilled ? text.replace(/[\\$`]/g, '\\$&') : text)
  const text = jsonText(document, (variable) => `$${variable}`, escape)
  return `${command} <<${isFilled ? 'EOF' : "'EOF'"}\n${text}\nEOF`
}
