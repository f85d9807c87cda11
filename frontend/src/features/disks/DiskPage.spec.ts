import { expect, it, vi } from 'vitest'
import type { DiskDay } from '@/api'
import { health } from '../../../mock/drives'
import { nvmeDisk, sasDisk } from '../../../mock/storage'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { healthFigures, healthTone, healthWords } from './diskHealth'
import { coursesOf } from './diskHistory'
import { canBeWiped, foreignSignatures } from './diskWipe'

it('leaves out what a drive does not give, and never shows it as zero', () => {
  const { values } = health({ used_percent: 0, written_bytes: 1_024_000 })
  expect(healthFigures(values, 'decimal').map(({ name, figure }) => [name, figure])).toEqual([
    ['temperature_c', '36'],
    ['used_percent', '0'],
    ['power_on_hours', '8,766'],
    ['written_bytes', '1.02 MB'],
  ])
})

it('says why a drive is not well', () => {
  const reason = { kind: 'spare', severity: 'critical' as const, message: 'It has used up its spare blocks.' }
  const failing = health({}, [reason])
  expect([healthTone(failing), healthWords(failing)]).toEqual(['bad', 'It has used up its spare blocks.'])
  expect(healthWords(health({}))).toBeNull()
})

it('offers to wipe only what nobody uses, and names what belongs to something larger', () => {
  const occupied = sasDisk(4, { state: 'occupied', wipeable: true })
  if (occupied.observed)
    occupied.observed = {
      ...occupied.observed,
      signatures: ['ext4', 'zfs_member', 'zfs_member'].map((type) => ({ type, label: null, uuid: null })),
    }
  expect([nvmeDisk(1), sasDisk(1), occupied].map(canBeWiped)).toEqual([false, true, true])
  expect(foreignSignatures(occupied)).toEqual(['zfs_member'])
})

it('offers the light of a bay that has one', async () => {
  const seated = await visit(`/disks/${sasDisk(1).id}`, loggedIn())
  expect(text(seated.page)).toContain('Slot 01, enclosure 0x500304801e97c7bf')
  expect(text(seated.page)).toContain('Turn on locate light')
})

it('turns the light of a bay on and off', async () => {
  const world = loggedIn()
  const disk = world.disks.find(({ id }) => id === sasDisk(1).id)
  const { page } = await visit(`/disks/${disk?.id}`, world)
  await click(page, 'Turn on locate light')
  await click(dialog(), 'Review the plan')
  await click(dialog(), 'Turn on locate light')
  await vi.waitFor(() => expect(disk?.observed?.place.is_located).toBe(true), 8_000)
  await vi.waitFor(() => expect(control(page, 'Turn off locate light')).toBeTruthy(), 8_000)
})

it('wipes a disk that is in no array once its serial number was typed', async () => {
  const world = loggedIn()
  const disk = world.disks.find(({ wipeable }) => wipeable)
  const { page } = await visit(`/disks/${disk?.id}`, world)
  await click(page, 'Wipe disk')
  await click(dialog(), 'Review the plan')
  type(field(dialog(), `This cannot be undone. Type ${disk?.serial} to confirm`), disk?.serial ?? '')
  await settle()
  await click(dialog(), 'Wipe')
  await vi.waitFor(() => expect(disk?.state).toBe('free'), 8_000)
})

it('says where a disk without a light sits', async () => {
  const bare = await visit(`/disks/${nvmeDisk(1).id}`, loggedIn())
  expect(text(bare.page)).toContain('0000:81:00.0')
  expect(text(bare.page)).not.toContain('locate light')
})

it('says when a SATA drive gives a bad sector up, and how long the kernel waits', async () => {
  const limited = { is_limitable: true, limit_s: 7, wait_s: 30 }
  const disk = { ...sasDisk(5), health: { ...health({}), error_recovery: limited } }
  const { page } = await visit(`/disks/${disk.id}`, { ...loggedIn(), disks: [disk] })
  expect(text(page)).toContain('Disk: at most 7 s; kernel timeout: 30 s')
})

it('shows the log of its self-tests, with what failed and where', async () => {
  const failed = {
    kind: 'long' as const,
    result: 'failed' as const,
    hours: 8000,
    lba: 77,
    words: 'Read failure',
  }
  const passed = {
    ...failed,
    kind: 'short' as const,
    result: 'passed' as const,
    hours: null,
    lba: null,
    words: '',
  }
  const tests = { is_running: true, refused: null, log: [passed, failed] }
  const disk = { ...sasDisk(5), health: { ...health({}), self_tests: tests } }
  const { page } = await visit(`/disks/${disk.id}`, { ...loggedIn(), disks: [disk] })
  const shown = text(page)
  expect(shown).toContain('A self-test is running.')
  expect(shown).toContain('Short')
  expect(shown).toContain('Long, at 8000 power-on hours')
  expect(shown).toContain('Read failure (block 77)')
})

it.each([
  [null, 'Unknown'],
  [true, 'Yes: no volatile write cache'],
])('says of a drive that it is safe from power cuts only where that is known: %s', async (known, words) => {
  const disk = nvmeDisk(1)
  if (disk.observed) disk.observed = { ...disk.observed, power_loss_protection: known }
  const { page } = await visit(`/disks/${disk.id}`, { ...loggedIn(), disks: [disk] })
  expect(text(page)).toContain(`Power-loss protection${words}`)
})

it('shows what a disk says of itself, and what it is', async () => {
  const { page } = await visit(`/disks/${nvmeDisk(1).id}`, loggedIn())
  const shown = text(page)
  expect(shown).toContain('Health: Good')
  expect(shown).toContain('Available spare blocks')
  expect(shown).toContain('100 %')
  expect(shown).toContain('S64HNE0T501118')
  expect(shown).not.toContain('Pending sectors')
})

it('shows how a drive ages, and counts from the day on which it came', async () => {
  const { page } = await visit(`/disks/${nvmeDisk(1).id}`, loggedIn())
  expect(text(page)).toContain('Highest temperature')
  expect(text(page)).toMatch(/Life used\s*\d+ %\s*Increased by 2/)
  const day = (day: string, serial: string, wear: number): DiskDay => ({
    day,
    serial,
    state: 'ok',
    hottest_c: null,
    read_at: day,
    values: health({ used_percent: wear }).values,
  })
  const days = [day('2026-11-20', 'NEW', 3), day('2026-11-19', 'NEW', 1), day('2026-11-18', 'OLD', 90)]
  expect(coursesOf(days, 'binary').map(({ name, change }) => [name, change])).toEqual([['used_percent', 2]])
  expect(coursesOf([], 'binary')).toEqual([])
})
