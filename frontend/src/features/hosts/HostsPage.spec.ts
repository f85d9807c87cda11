import { expect, it } from 'vitest'
import { click, dialog, field, settle, text, tick, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const names = (world: ReturnType<typeof loggedIn>) => world.hosts.map(({ name }) => name)

const pick = (page: Element, ...hosts: string[]) => tick(page, ...hosts.map((host) => `Select ${host}`))

it('deletes all that are selected in one plan, and restores them by one undo', async () => {
  const world = loggedIn()
  world.mappings = []
  const before = names(world)
  const { page } = await visit('/hosts', world)
  await pick(page, 'host1', 'host2')
  await click(page, 'Delete…')
  expect(text(dialog())).toContain('Delete 2 hosts')
  await click(dialog(), 'Delete')
  expect(names(world)).toEqual(before.filter((name) => !['host1', 'host2'].includes(name)))
  expect(page.textContent).not.toContain('2 selected')
  await click(document.body, 'Undo')
  expect(names(world).toSorted()).toEqual(before.toSorted())
})

it('names each that is in the way, and deletes them with their mappings once their number was typed', async () => {
  const world = loggedIn()
  const { page } = await visit('/hosts', world)
  await pick(page, 'host1', 'host2', 'backup-proxy')
  await click(page, 'Delete…')
  const refused = dialog().querySelector('[role="alert"]')
  expect([...(refused?.querySelectorAll('li') ?? [])].map(text)).toEqual([
    'host1it has 8 mappings; delete them first',
    'host2it has 8 mappings; delete them first',
  ])
  await click(dialog(), 'Unmap 16 mappings and delete')
  expect(text(dialog())).toContain('host1 loses LUN 1')
  type(field(dialog(), 'Type 3 hosts to confirm'), '3 hosts')
  await settle()
  await click(dialog(), 'Delete')
  expect(names(world).filter((name) => ['host1', 'host2', 'backup-proxy'].includes(name))).toEqual([])
  expect(world.mappings.filter(({ host }) => host === 'host1' || host === 'host2')).toEqual([])
})

it('forgets what was selected when another search is made', async () => {
  const { page, router } = await visit('/hosts', loggedIn())
  await pick(page, 'host1')
  expect(page.textContent).toContain('1 selected')
  await router.push('/hosts?sort=-name')
  await settle()
  expect(page.textContent).toContain('1 selected')
  await router.push('/hosts?q=host')
  await settle()
  expect(page.textContent).not.toContain('1 selected')
})
