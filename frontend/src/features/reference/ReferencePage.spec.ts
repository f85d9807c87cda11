import { expect, it } from 'vitest'
import { click, control, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

const PAUSE_MS = 300
const at = (path: string) => visit(`/reference${path}`, loggedIn())
const links = (page: Element) => [...page.querySelectorAll('nav[aria-label=Operations] a')]
const row = (page: Element, name: string) =>
  [...page.querySelectorAll('li')].find((one) => text(one).startsWith(name)) as HTMLElement

it('is one click away from what the appliance tells of itself, and asks nobody but the appliance', async () => {
  const { page, requests, router } = await visit('/about', loggedIn())
  await click(page, 'API reference')
  expect(router.currentRoute.value.path).toBe('/reference')
  expect(requests).toContain('GET /openapi.json')
  expect(page.textContent).toContain('Using the API')
})

it('lists every operation under its noun', async () => {
  const { page } = await at('')
  expect(links(page).length).toBeGreaterThan(120)
  expect([...page.querySelectorAll('nav[aria-label=Operations] h2')].map(text).join()).toMatch(
    /host groups ?\d/,
  )
  expect(links(page).map(text)).toContain('POST/volumes')
})

it('finds operations by what they take, and keeps the search in the link', async () => {
  const { page, router } = await at('')
  type(field(page, 'Search paths, fields and descriptions'), 'provisioning post')
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  await settle()
  expect(links(page).map(text)).toContain('POST/volumes')
  expect(links(page).map(text)).not.toContain('GET/volumes')
  expect(router.currentRoute.value.query).toEqual({ q: 'provisioning post' })
})

it('says of an operation who may call it, what it takes, and how it is called', async () => {
  const { page } = await at('/operations/volume_create')
  expect(page.textContent).toContain('Creates a volume on an array.')
  expect(page.textContent).toMatch(/Required role\s*operator/)
  const size = text(row(page, 'size_bytes'))
  expect(size).toContain('required')
  expect(size).toContain('integer')
  expect(size).toContain('in bytes')
  expect(size).toContain('from 4194304')
  expect(text(row(page, 'provisioning'))).toContain('thick')
  const curl = page.querySelector('pre[aria-label=curl]')?.textContent
  expect(curl).toContain("curl --fail-with-body -X POST 'https://lunette.test/api/v1/volumes'")
  expect(curl).toContain('Bearer $LUNETTE_TOKEN')
  expect(curl).toContain('"size_bytes": 107374182400')
  expect(page.querySelector('pre[aria-label="Command line"]')?.textContent).toContain(
    'lunette volume create NAME',
  )
})

it('says what is refused and why', async () => {
  const { page } = await at('/operations/volume_delete')
  expect(page.textContent).toContain('428')
  expect(page.textContent).toContain('The request lacks the required If-Match header.')
})

it('opens a schema in a schema in its place, and leads to its page', async () => {
  const { page, router } = await at('/operations/volume_show')
  await click(page, 'Fields of MappedTo')
  expect(text(row(page, 'mapped_to'))).toContain('list of MappedTo')
  expect(text(row(page, 'mapped_to'))).toContain('mapping_id')
  await click(page, 'MappedTo')
  expect(router.currentRoute.value.path).toBe('/reference/schemas/MappedTo')
  expect(page.querySelector('article h2')?.textContent).toContain('MappedTo')
})

it('tells of a schema which operations use it', async () => {
  const { page } = await at('/schemas/VolumeCreate')
  expect(page.textContent).toContain('/api/v1/volumes')
  expect(page.textContent).toContain('Used by')
})

it('says that this version has no such operation', async () => {
  const { page } = await at('/operations/volume_explode')
  expect(page.textContent).toContain('This API version has no volume_explode')
})

it('goes through the list by the arrows', async () => {
  const { page } = await at('')
  field(page, 'Search paths, fields and descriptions').focus()
  const press = (key: string) =>
    document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  press('ArrowDown')
  expect(document.activeElement).toBe(links(page)[0])
  press('ArrowDown')
  expect(document.activeElement).toBe(links(page)[1])
  expect(control(page, text(links(page)[1] as Element))).toBe(document.activeElement)
})
