import { expect, it } from 'vitest'
import { click, dialog, field, settle, text, type, visit } from '../../mock/visit'
import { loggedIn } from '../../mock/world'

const menu = () => [...document.querySelectorAll('[role=menuitem]')]

async function open(page: Element, name = 'Saved views'): Promise<void> {
  const button = [...page.querySelectorAll<HTMLElement>('button')].find((one) => text(one) === name)
  button?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
  await settle()
}

async function choose(item: string): Promise<void> {
  const found = menu().find((one) => text(one) === item)
  if (!found) throw new Error(`No "${item}"; there are: ${menu().map(text).join(' | ')}`)
  found.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  await settle()
}

async function save(page: Element, name: string): Promise<void> {
  await open(page)
  await choose('Save view')
  type(field(dialog(), 'Name'), name)
  await settle()
  await click(dialog(), 'Save')
}

it('a view has search, filters and order under a name, and is shown again', async () => {
  const { page, router } = await visit('/volumes?q=lun&state=ready&sort=-size_bytes', loggedIn())
  await save(page, 'big ones')
  await router.push('/volumes')
  await settle()
  await open(page)
  expect(menu().map(text)).toEqual(['big ones', 'Save view'])
  await choose('big ones')
  expect(router.currentRoute.value.query).toEqual({ q: 'lun', state: 'ready', sort: '-size_bytes' })
})

it('a view that is shown is named, and can be deleted', async () => {
  const { page } = await visit('/volumes?q=lun', loggedIn())
  await save(page, 'mine')
  await open(page, 'Saved view: mine')
  await choose('Delete view “mine”')
  await open(page)
  expect(menu().map(text)).toEqual(['Save view'])
})

it('views belong to one list of one user', async () => {
  const world = loggedIn()
  const { page, router } = await visit('/volumes?q=lun', world)
  await save(page, 'mine')
  expect(JSON.parse(localStorage.getItem('lunette-views') ?? '')).toEqual({
    admin: { volumes: [{ name: 'mine', query: { q: 'lun' }, columns: {} }] },
  })
  await router.push('/hosts')
  await settle()
  await open(page)
  expect(menu().map(text)).toEqual(['Save view'])
})
