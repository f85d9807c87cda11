import { describe, expect, it, vi } from 'vitest'
import { mdEngine, nvmeDisk, sasDisk } from '../../../mock/storage'
import { click, control, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import { bodyOf, freeName, groupDisks, suggestLevel, take } from './arrayDraft'

const PLANNED_MS = 600
const planned = async () => {
  await new Promise((resolve) => setTimeout(resolve, PLANNED_MS))
  await settle()
}

async function choose(page: Element, label: string, value: string) {
  const select = page.querySelector<HTMLSelectElement>(`select[aria-label="${label}"]`)
  if (!select) throw new Error(`no list ${label}`)
  select.value = value
  select.dispatchEvent(new Event('change', { bubbles: true }))
  await settle()
}

const summary = (page: Element): string => {
  const panel = [...page.querySelectorAll('section')].find((one) =>
    one.textContent?.includes('What this gives'),
  )
  return panel ? (panel.textContent ?? '').replace(/\s+/g, ' ') : ''
}

const review = (page: Element) => control(page, 'Review the plan') as HTMLButtonElement

describe('the wizard', () => {
  it('shows the capacity the API plans as soon as there are enough disks', async () => {
    const { page, requests } = await visit('/arrays/new', loggedIn())
    expect(summary(page)).toContain('RAID 5 takes 3 disks or more')
    await choose(page, 'How many of ST12000NM004J', '3')
    await planned()
    expect(summary(page)).toContain('21.8 TiB')
    expect(summary(page)).toContain('one disk')
    expect(requests.filter((one) => one.startsWith('POST'))).toEqual(['POST /arrays?dry_run=true'])
    expect(review(page).disabled).toBe(false)
  })

  it('follows the number of disks with the usual level until one is chosen', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    await choose(page, 'How many of ST12000NM004J', '2')
    expect(summary(page)).toContain('RAID 1')
    page.querySelector<HTMLInputElement>('input[value=raid10]')?.click()
    await choose(page, 'How many of ST12000NM004J', '3')
    expect(summary(page)).toContain('RAID 10')
  })

  it('says what a wipe would destroy, and asks for the name before it does', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    await choose(page, 'How many of ST12000NM004J', '3')
    const occupied = [...page.querySelectorAll('label')].find((one) => text(one) === 'ZL2A004Q')
    document.getElementById(occupied?.htmlFor ?? '')?.click()
    await planned()
    expect(summary(page)).toContain('1 disk will be wiped')
    await click(page, 'Review the plan')
    expect(text(dialog())).toContain('it carries an ext4 signature (label backup): all is lost')
    expect((control(dialog(), 'Create array') as HTMLButtonElement).disabled).toBe(true)
    expect(field(dialog(), 'This cannot be taken back. Type tank2 to go on')).toBeTruthy()
  })

  it('makes the array by a job and leads to the arrays when that is closed', async () => {
    const world = loggedIn()
    const { page, router } = await visit('/arrays/new', world)
    await choose(page, 'How many of ST12000NM004J', '3')
    type(field(page, 'Name'), 'archive')
    await planned()
    await click(page, 'Review the plan')
    await click(dialog(), 'Create array')
    await vi.waitFor(() => expect(text(dialog())).toContain('Done: Create array archive'), 5_000)
    expect(world.arrays.map(({ name }) => name)).toContain('archive')
    ;[...dialog().querySelectorAll('button')].at(-1)?.click()
    await settle()
    expect(router.currentRoute.value.name).toBe('arrays')
  })

  it('shows a refusal under the field it names', async () => {
    const { page } = await visit('/arrays/new', loggedIn())
    await choose(page, 'How many of ST12000NM004J', '3')
    type(field(page, 'Name'), 'tank')
    await planned()
    const described = field(page, 'Name').getAttribute('aria-describedby') ?? ''
    const messages = described.split(' ').map((id) => document.getElementById(id)?.textContent)
    expect(messages.join()).toContain('array tank exists already')
    expect(review(page).disabled).toBe(true)
  })

  it('takes a device as it is, with the command that tells its health', async () => {
    const world = loggedIn()
    const levels = mdEngine()
      .levels.slice(0, 1)
      .map((level) => ({
        ...level,
        level: 'external' as const,
        min_disks: 1,
        survives_failures: 'unknown to Lunette',
      }))
    world.engines.push({
      ...mdEngine(),
      engine: 'external',
      levels,
      health_commands: ['myraid'],
    })
    const { page } = await visit('/arrays/new', world)
    page.querySelector<HTMLInputElement>('input[value=external]')?.click()
    await choose(page, 'How many of ST12000NM004J', '1')
    expect(summary(page)).toContain('unknown to Lunette')
    expect(page.textContent).not.toContain('After a power cut')
    const command = field(page, 'Health command') as unknown as HTMLSelectElement
    expect([...command.options].map(({ text: label }) => label)).toEqual(['None', 'myraid'])
    await planned()
    expect(review(page).disabled).toBe(false)
  })

  it('says so when no disk can be taken', async () => {
    const world = loggedIn()
    world.disks = [nvmeDisk(1)]
    const { page } = await visit('/arrays/new', world)
    expect(page.textContent).toContain('No disk can be taken')
  })
})

describe('disks by rule', () => {
  const occupied = sasDisk(4, { state: 'occupied', wipeable: true })
  const disks = [occupied, sasDisk(1), sasDisk(2), sasDisk(3), nvmeDisk(1)]

  it('are grouped by model and size, without members of other arrays', () => {
    const [group, ...rest] = groupDisks(disks)
    expect(rest).toEqual([])
    expect(group?.disks.map(({ serial }) => serial)).toEqual(['ZL2A001Q', 'ZL2A002Q', 'ZL2A003Q', 'ZL2A004Q'])
  })

  it('never take a disk that would be wiped', () => {
    const [group] = groupDisks(disks)
    expect(group && take(['other'], group, 4)).toEqual(['other', sasDisk(1).id, sasDisk(2).id, sasDisk(3).id])
  })

  it('are wiped only if each was chosen', () => {
    const draft = {
      name: ' tank ',
      level: 'raid1' as const,
      disks: [occupied.id, sasDisk(1).id],
      chunk: 65_536,
      layout: 'f2' as const,
      writeHole: 'default' as const,
      healthCommand: '',
    }
    expect(bodyOf(draft, disks)).toEqual({
      name: 'tank',
      level: 'raid1',
      disks: draft.disks,
      wipe: [occupied.id],
    })
    expect(bodyOf({ ...draft, level: 'raid10' }, disks)).toMatchObject({ chunk_bytes: 65_536, layout: 'f2' })
    expect(bodyOf({ ...draft, level: 'external', healthCommand: 'myraid' }, disks)).toEqual({
      name: 'tank',
      engine: 'external',
      level: 'external',
      disks: draft.disks,
      wipe: [occupied.id],
      health_command: 'myraid',
    })
  })
})

it.each([
  [['a'], 'tank'],
  [['tank', 'tank2'], 'tank3'],
])('a name nobody has beside %j is %s', (taken, name) => expect(freeName(taken)).toBe(name))

it('suggests only what the engine offers', () => expect(suggestLevel(8, [])).toBeUndefined())
