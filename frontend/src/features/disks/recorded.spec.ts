/** Ailing drives, as the API reports them from recorded logs (backend/tests/api/test_recorded_drives.py writes them). */
import { expect, it } from 'vitest'
import told from '../../../mock/recorded-drives.json'
import { sasDisk } from '../../../mock/storage'
import { text, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import type { Disk } from '@/api'

const WORDS = {
  nvme: ['It can no longer protect its cache against power loss.'],
  sas: ['It has too many media errors.', 'It has too many grown defects.'],
  sata: ['It predicts its own failure.', 'It failed its self-test.', 'It has too many reallocated sectors.'],
} as const

const ailing = (kind: keyof typeof WORDS): Disk => ({
  ...sasDisk(5),
  health: told[kind] as NonNullable<Disk['health']>,
})

it.each(Object.keys(WORDS) as (keyof typeof WORDS)[])('shows what a %s drive says is wrong', async (kind) => {
  const disk = ailing(kind)
  const { page } = await visit(`/disks/${disk.id}`, { ...loggedIn(), disks: [disk] })
  for (const words of WORDS[kind]) expect(text(page)).toContain(words)
})
