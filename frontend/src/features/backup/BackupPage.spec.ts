import { describe, expect, it, vi } from 'vitest'
import { click, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { asBase64, fileName } from './backupFile'

const PASSPHRASE = 'a-long-passphrase'

async function withFile(content = `lunette-backup\n${PASSPHRASE}`, passphrase = PASSPHRASE) {
  const opened = await visit('/backup', loggedIn())
  const input = opened.page.querySelector<HTMLInputElement>('input[type=file]')
  if (!input) throw new Error('The page takes no file.')
  Object.defineProperty(input, 'files', { value: [new File([content], 'rack4.lunette-backup')] })
  input.dispatchEvent(new Event('change'))
  type(field(opened.page, 'Passphrase of the backup'), passphrase)
  await settle()
  await click(opened.page, 'Preview')
  return opened
}

describe('a backup', () => {
  it('is downloaded under the name of the appliance, and its passphrase is forgotten', async () => {
    const names: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
      names.push(this.download)
    })
    const { page, requests } = await visit('/backup', loggedIn())
    type(field(page, 'Passphrase'), PASSPHRASE)
    type(field(page, 'Confirm passphrase'), PASSPHRASE)
    await settle()
    page.querySelector<HTMLFormElement>('form')?.requestSubmit()
    await vi.waitFor(() => expect(names).toHaveLength(1))
    expect(names[0]).toMatch(/^lunette-rack4-\d{4}-\d\d-\d\d\.lunette-backup$/)
    await settle()
    expect(requests.at(-1)).toContain('POST /appliance:backup')
    expect(field(page, 'Passphrase').value).toBe('')
    expect(page.textContent).toContain('.lunette-backup created')
  })

  it('is not made under a passphrase that was typed in two ways', async () => {
    const { page } = await visit('/backup', loggedIn())
    type(field(page, 'Passphrase'), PASSPHRASE)
    type(field(page, 'Confirm passphrase'), 'another-passphrase')
    await settle()
    expect(page.textContent).toContain('The entries do not match')
    expect(page.querySelector<HTMLButtonElement>('form button[type=submit]')?.disabled).toBe(true)
  })
})

describe('a restore', () => {
  it('is looked at first, which changes nothing', async () => {
    const { page, requests } = await withFile()
    expect(requests.filter((one) => one.includes(':restore'))).toEqual([
      'POST /appliance:restore?dry_run=true',
    ])
    expect(page.querySelector('ul[aria-label="Differences"]')?.textContent).toMatch(
      /Restore host\s*old-proxy/,
    )
    expect(text(page)).toContain('lun01 is served to host1')
  })

  it('takes away what is served only where it is given up, and looks again', async () => {
    const { page, requests } = await withFile()
    page.querySelector<HTMLElement>('ul [role=checkbox]')?.click()
    await settle()
    expect(requests.filter((one) => one.includes(':restore'))).toHaveLength(2)
    expect(text(page)).not.toContain('lun01 is served to host1')
  })

  it('happens once the name of the appliance was typed', async () => {
    const { page, requests } = await withFile()
    const button = [...page.querySelectorAll('button')].find((one) => text(one) === 'Restore')
    expect(button?.disabled).toBe(true)
    type(field(page, 'This cannot be undone. Type lunette-rack4 to confirm'), 'lunette-rack4')
    await settle()
    button?.closest('form')?.requestSubmit()
    await vi.waitFor(() => expect(text(page)).toContain('Backup restored'))
    expect(requests.at(-1)).not.toContain('dry_run=true')
    expect(text(page)).toContain('before-restore.lunette-backup')
  })

  it.each([
    ['no backup at all', PASSPHRASE, 'this is no backup'],
    [`lunette-backup\n${PASSPHRASE}`, 'not-its-passphrase', 'it does not open the backup'],
  ])('of %j is refused with the reason', async (content, passphrase, reason) => {
    const { page } = await withFile(content, passphrase)
    expect(page.querySelector('[role=alert]')?.textContent).toContain(reason)
    expect([...page.querySelectorAll('button')].map(text)).not.toContain('Restore')
  })
})

it('is named so that a folder of them is in order', () =>
  expect(fileName('rack 4/b', new Date('2026-11-21T23:00:00Z'))).toBe('rack-4-b-2026-11-21.lunette-backup'))

it('is sent whole, however large', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
  expect(atob(await asBase64(new Blob([bytes]))).length).toBe(100_000)
})
