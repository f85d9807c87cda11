import { describe, expect, it, vi } from 'vitest'
import { click, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { parse, toYaml } from './siteDocument'

async function compared(document: string, destroy = '') {
  const world = loggedIn()
  const opened = await visit('/site', world)
  await click(opened.page, 'Plain text')
  const area = opened.page.querySelector<HTMLTextAreaElement>('textarea')
  if (!area) throw new Error('The page has no place for a document.')
  area.value = document
  area.dispatchEvent(new Event('input', { bubbles: true }))
  type(field(opened.page, 'Allow deletion of'), destroy)
  await settle()
  await click(opened.page, 'Preview changes')
  return { ...opened, world }
}

describe('the site document', () => {
  it('shows what is there as the CLI writes it', async () => {
    const { page } = await visit('/site', loggedIn())
    expect(page.querySelector('pre')?.textContent).toContain('arrays:\n  - name: tank\n')
  })

  it('tells what would come of another one, what is lost first, and changes nothing', async () => {
    const { page, requests } = await compared('hosts: [{name: esx9}]', 'volume/vm01')
    expect(page.textContent).toContain('512 GiB of data will be destroyed')
    const lines = [...page.querySelectorAll('ul[aria-label=Changes] li')].map(text)
    expect(lines[0]).toContain('vm01')
    expect(lines[1]).toContain('esx9')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual(['POST /site:plan?dry_run=true'])
  })

  it('applies it as one job, after the name was typed where data are lost', async () => {
    const { page } = await compared('hosts: [{name: esx9}]', 'volume/vm01')
    await click(page, 'Apply document')
    type(field(dialog(), 'This cannot be undone. Type apply to confirm'), 'apply')
    await settle()
    await click(dialog(), 'Apply document')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Apply the site document'), 8_000)
  })

  it('says that nothing differs', async () => {
    const { page } = await compared('{"hosts": [{"name": "host1"}]}')
    expect(page.textContent).toContain('No changes')
  })

  it('names the line of what is no document', async () => {
    const { page, requests } = await compared('hosts: [{name: esx9}')
    expect(page.textContent).toContain('Not valid YAML or JSON')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual([])
  })
})

it('reads what it writes', () => {
  const site = { format: 1 as const, volumes: [{ name: 'null', array: 'tank', size_bytes: 2 ** 40 }] }
  expect(parse(toYaml(site))).toEqual({ site })
})

it.each(['', '- a\n- b', '42'])('%j is no document', (words) => expect(parse(words)).toEqual({ wrong: '' }))
