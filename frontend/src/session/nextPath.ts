/** Only paths of this site; a `next` from a link must not send a person elsewhere. */
export function safeNext(next: unknown): string {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : '/'
}
