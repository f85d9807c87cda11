import { expect, it } from 'vitest'
import { crc32, randomKey, written } from './dhchap'

const bytes = (text: string) => new TextEncoder().encode(text)

it('sums as zip and Ethernet do', () => expect(crc32(bytes('123456789'))).toBe(0xcbf43926))

it('writes a key as nvme-cli does', () => {
  // `nvme gen-dhchap-key --hmac=0` for a key of 32 zero bytes: 44 bytes of base64, sum in little endian.
  const decoded = Uint8Array.from(atob(written(new Uint8Array(32)).split(':')[2] ?? ''), (one) =>
    one.charCodeAt(0),
  )
  expect(decoded).toHaveLength(36)
  expect(new DataView(decoded.buffer).getUint32(32, true)).toBe(crc32(new Uint8Array(32)))
})

it('makes another key each time, in the form the API takes', () => {
  expect(randomKey()).toMatch(/^DHHC-1:00:[A-Za-z0-9+/]{48}:$/)
  expect(randomKey()).not.toBe(randomKey())
})
