import { expect, it, vi } from 'vitest'
import { click, control, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'

it('leaves the bundle in the downloads under the name the appliance gave it', async () => {
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  const { page, requests } = await visit('/about', loggedIn())
  await click(page, 'Create support bundle')
  await vi.waitFor(() => expect(names).toEqual(['lunette-support-rack4.tar.gz']))
  expect(requests.at(-1)).toContain('POST /appliance:support')
  await vi.waitFor(() => expect(page.textContent).toContain('is in your downloads'))
})

it('is for administrators', async () => {
  const world = loggedIn()
  if (world.me) world.me.role = 'operator'
  const { page } = await visit('/about', world)
  expect(control(page, 'Create support bundle')).toHaveProperty('disabled', true)
})
