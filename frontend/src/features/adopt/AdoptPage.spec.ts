import { describe, expect, it, vi } from 'vitest'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { foreignArray } from '../../../mock/takeover'
import { loggedIn } from '../../../mock/world'

const findings = (page: Element, label: string) =>
  [...page.querySelectorAll(`ul[aria-label="${label}"] li`)].map(text)

async function open(page: Element, content: string): Promise<void> {
  const input = page.querySelector<HTMLInputElement>('input[type=file]')
  if (!input) throw new Error('The page takes no file.')
  Object.defineProperty(input, 'files', { value: [new File([content], 'saveconfig.json')] })
  input.dispatchEvent(new Event('change'))
  await settle()
}

describe('what runs for others', () => {
  it('is looked at first: what stays is told before what is taken over, with what to do', async () => {
    const { page, requests } = await visit('/site/adopt', loggedIn())
    await click(page, 'Inspect')
    const lines = findings(page, 'Running targets and subsystems')
    expect(lines[0]).toContain('make an ACL for each first')
    expect(lines[1]).toContain('becomes host db1')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual(['POST /site:adopt?dry_run=true'])
  })

  it('is taken over by a job after its plan', async () => {
    const { page } = await visit('/site/adopt', loggedIn())
    await click(page, 'Inspect')
    await click(page, 'Review the plan')
    await click(dialog(), 'Take over')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Take over 1 target'), 8_000)
  })

  it('is for administrators', async () => {
    const world = loggedIn()
    if (world.me) world.me.role = 'operator'
    const { page } = await visit('/site/adopt', world)
    expect((control(page, 'Inspect') as HTMLButtonElement).disabled).toBe(true)
  })
})

describe('a file of targetcli', () => {
  it('is told object by object', async () => {
    const { page } = await visit('/site/adopt', loggedIn())
    await open(page, '{"targets": []}')
    await vi.waitFor(() => expect(page.textContent).toContain('1 compatible, 1 not compatible'))
    expect(findings(page, 'targetcli file')).toHaveLength(2)
  })

  it('that is none is not sent', async () => {
    const { page, requests } = await visit('/site/adopt', loggedIn())
    await open(page, 'no json')
    await vi.waitFor(() => expect(page.textContent).toContain('Not valid JSON'))
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([])
  })
})

it('leaves what is served as a file, and says what does not go along', async () => {
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  const { page } = await visit('/site/adopt', loggedIn())
  await click(page, 'Download saveconfig.json')
  await vi.waitFor(() => expect(page.textContent).toContain('lun07 is served over NVMe'))
  expect(names).toEqual(['saveconfig.json'])
})

describe('a rebuild from the data disks', () => {
  async function looked() {
    const opened = await visit('/backup', loggedIn())
    await click(opened.page, 'Inspect disks')
    await vi.waitFor(() => expect(opened.page.textContent).toContain('pond'))
    return opened
  }

  it('is looked at first: what each array brings back, or why it does not', async () => {
    const { page, requests } = await looked()
    expect(page.textContent).toContain('of appliance rack3 · 4 volumes · 6 mappings')
    expect(page.textContent).toContain('both slots of its copy are damaged')
    expect(page.textContent).toContain('Set the secrets of these hosts again')
    expect(requests.filter((one) => one.includes('rebuild'))).toEqual([
      'POST /appliance:rebuild?dry_run=true',
    ])
  })

  it('happens once what it does was shown, adopted, and the word was typed', async () => {
    const { page, requests } = await looked()
    const button = control(page, 'Rebuild') as HTMLButtonElement
    const list = page.querySelector<HTMLDetailsElement>('details')
    expect(list?.open).toBe(true)
    expect(list?.textContent).toContain('Host db1 can connect as iqn.2026-01.com.example:db1')
    type(field(page, 'This cannot be undone. Type rebuild to confirm'), 'rebuild')
    await settle()
    expect(button.disabled, 'nobody adopted what the disks say').toBe(true)
    await click(page, 'Adopt the content of these disks')
    expect(button.disabled).toBe(false)
    button.closest('form')?.requestSubmit()
    await vi.waitFor(() => expect(page.textContent).toContain('Configuration rebuilt'))
    expect(requests.filter((one) => one.includes('rebuild')).at(-1)).not.toContain('dry_run=true')
  })
})

describe('an array that others made', () => {
  async function withArray(change: Parameters<typeof foreignArray>[0] = {}) {
    const world = loggedIn()
    world.foreignArrays = [foreignArray(change)]
    const opened = await visit('/site/adopt', world)
    await vi.waitFor(() => expect(findings(opened.page, 'Arrays of other systems')).not.toEqual([]))
    return { ...opened, world }
  }

  it('is started read-only before it is adopted, and shows then what is on it', async () => {
    const { page, requests } = await withArray()
    expect(findings(page, 'Arrays of other systems')[0]).toContain(
      'created on old · raid1 of 2 disks · Missing',
    )
    await click(page, 'Start read-only')
    await click(dialog(), 'Start read-only')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Start foreign array old:0'), 8_000)
    expect(requests.filter((one) => one.includes(':adopt'))).toEqual([])
    await vi.waitFor(() => expect(page.textContent).toContain('Volume group srv'))
  })

  it('is adopted with those of its volumes that can be', async () => {
    const { page } = await withArray({
      next: 'adopt',
      group: 'srv',
      volumes: [
        { name: 'db', size_bytes: 2 ** 28, open: false, reason: null },
        { name: 'snap', size_bytes: 2 ** 28, open: false, reason: 'it leans on others' },
      ],
    })
    await click(page, 'Adopt')
    type(field(dialog(), 'Array name'), 'archive')
    await click(dialog(), 'Review the plan')
    await vi.waitFor(() => expect(text(dialog())).toContain('archive'))
    expect(text(dialog())).not.toContain('Create volumesnap')
    await click(dialog(), 'Adopt')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Adopt array archive'), 8_000)
  })

  it('of which nothing can be done says why', async () => {
    const { page } = await withArray({ next: 'none', reason: 'array old:0 has lost a disk' })
    expect(findings(page, 'Arrays of other systems')[0]).toContain('has lost a disk')
    expect(page.textContent).not.toContain('Start read-only')
  })
})
