/** A backup as a file of this browser: named, and read again. */

/** As the appliance takes them; larger is no backup. */
export const MOST_BYTES = 64 * 1024 * 1024
const CHUNK = 0x8000

/** "lunette-rack4-2026-11-21.lunette-backup". */
export function fileName(appliance: string, made: Date): string {
  const name = appliance.replace(/[^\w.-]+/g, '-') || 'appliance'
  return `${name}-${made.toISOString().slice(0, 10)}.lunette-backup`
}

/** What the API takes: the bytes as base64, made in parts that fit a call. */
export async function asBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK))
  return btoa(text)
}
