/** A backup as a file of this browser: its name and content. */

/** The limit of the appliance; a larger file is not a backup. */
export const MOST_BYTES = 64 * 1024 * 1024
const CHUNK = 0x8000

/** "lunette-rack4-2026-11-21.lunette-backup". */
export function fileName(appliance: string, made: Date): string {
  const name = appliance.replace(/[^\w.-]+/g, '-') || 'appliance'
  return `${name}-${made.toISOString().slice(0, 10)}.lunette-backup`
}

/** The API's format: the bytes as base64, created in parts that fit a call. */
export async function asBase64(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let text = ''
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK))
  return btoa(text)
}
