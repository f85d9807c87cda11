/** Keys of NVMe in-band authentication, as `nvme gen-dhchap-key` writes them: `DHHC-1:00:<base64 of key and CRC-32>:`. */
import type { DhGroup, DhHash } from '@/api'

export const DH_HASHES: readonly DhHash[] = ['sha256', 'sha384', 'sha512']
export const DH_GROUPS: readonly DhGroup[] = [
  'null',
  'ffdhe2048',
  'ffdhe3072',
  'ffdhe4096',
  'ffdhe6144',
  'ffdhe8192',
]
const KEY_BYTES = 32
const CRC_BYTES = 4
/** IEEE 802.3, bits reversed. */
const POLYNOMIAL = 0xedb88320

/** CRC-32 as in Ethernet and zip. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** The written form of a key; `00` says that it is used as it is. */
export function written(key: Uint8Array): string {
  const whole = new Uint8Array(key.length + CRC_BYTES)
  whole.set(key)
  new DataView(whole.buffer).setUint32(key.length, crc32(key), true)
  return `DHHC-1:00:${btoa(String.fromCharCode(...whole))}:`
}

export const randomKey = (): string => written(crypto.getRandomValues(new Uint8Array(KEY_BYTES)))
