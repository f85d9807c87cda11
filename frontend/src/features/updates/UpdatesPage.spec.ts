import { expect, it, vi } from 'vitest'
import { updates } from '../../../mock/updates'
import { click, dialog, field, settle, text, type, visit } from '../../../mock/visit'
import { loggedIn } from '../../../mock/world'
import type { World } from '../../../mock/world'

/** Replaces the browser's upload: the test sets its progress, and lets it finish. */
class FakeRequest extends EventTarget {
  static last: FakeRequest
  readonly upload = new EventTarget()
  readonly headers: Record<string, string> = {}
  status = 0
  response: unknown
  responseType = ''
  private file?: File
  private method = ''
  private url = ''

  constructor() {
    super()
    FakeRequest.last = this
  }

  open(method: string, url: string): void {
    this.method = method
    this.url = url
  }

  setRequestHeader(name: string, value: string): void {
    this.headers[name] = value
  }

  send(file: File): void {
    this.file = file
  }

  abort(): void {
    this.dispatchEvent(new Event('abort'))
  }

  async tell(loaded: number): Promise<void> {
    this.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded }))
    await settle()
  }

  async arrive(): Promise<void> {
    const body = await this.file?.text()
    const answer = await fetch(`http://localhost${this.url}`, {
      method: this.method,
      headers: this.headers,
      body,
    })
    this.status = answer.status
    this.response = await answer.json()
    this.dispatchEvent(new Event('load'))
    await settle()
  }
}

async function open(world: World) {
  vi.stubGlobal('XMLHttpRequest', FakeRequest)
  return visit('/settings/updates', world)
}

async function choose(page: Element, content: string): Promise<void> {
  const input = field(page, 'Choose a bundle')
  Object.defineProperty(input, 'files', {
    value: [new File([content], 'lunette-0.2.0.raucb')],
    configurable: true,
  })
  input.dispatchEvent(new Event('change'))
  await settle()
}

it('sends a bundle with its progress, shows the plan, and follows the job into the other slot', async () => {
  const world = loggedIn()
  const { page } = await open(world)
  expect(page.textContent).toContain('0.1.0')
  await choose(page, 'a bundle of 22 bytes..')
  await FakeRequest.last.tell(11)
  expect(page.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')).toBe('50')
  await FakeRequest.last.arrive()
  expect(text(page)).toContain('Version 0.2.0 is ready to install')
  await click(page, 'Install 0.2.0')
  expect(text(dialog())).toContain('version 0.1.0 becomes 0.2.0')
  expect(text(dialog())).toContain('esx1')
  await click(dialog(), 'Install and restart')
  expect(world.jobs.at(-1)?.title).toBe('Update to version 0.2.0')
})

it('names a downgrade before it is sent as one', async () => {
  const { page } = await open(loggedIn())
  await choose(page, 'an old bundle')
  await FakeRequest.last.arrive()
  await click(page, 'Install 0.0.9')
  expect(text(dialog())).toContain('0.0.9, which is older than the running version')
  expect(text(dialog())).toContain('version 0.1.0 becomes 0.0.9')
})

it('says why a bundle is not taken, and offers nothing to install', async () => {
  const { page } = await open(loggedIn())
  await choose(page, 'of a stranger')
  await FakeRequest.last.arrive()
  expect(text(page)).toContain('its signer is not trusted by this appliance')
  expect(text(page)).not.toContain('Install 0.2.0')
})

it('lets go of a bundle on its way', async () => {
  const { page } = await open(loggedIn())
  await choose(page, 'a bundle')
  await click(page, 'Cancel')
  expect(text(page)).toContain('Choose a bundle')
  expect(page.querySelector('main [role=status], main [role=alert]')).toBeNull()
})

it('takes the address of a bundle', async () => {
  const { page, requests } = await open(loggedIn())
  type(field(page, 'Bundle URL'), 'https://example.com/bundle.raucb')
  await settle()
  await click(page, 'Download')
  expect(requests).toContain('POST /updates/bundle:fetch')
  expect(text(page)).toContain('Version 0.2.0 is ready to install')
})

it('goes back only where there is something to go back to', async () => {
  const world = loggedIn()
  const { page } = await open(world)
  const back = [...page.querySelectorAll('button')].find((one) => text(one) === 'Roll back')
  expect([back?.disabled, back?.title]).toEqual([true, 'The other slot is empty.'])
})

it('goes back after its plan', async () => {
  const world = loggedIn()
  world.updates = updates({
    slots: [
      { name: 'a', version: '0.1.0', running: true, next: true },
      { name: 'b', version: '0.0.9', running: false, next: false },
    ],
  })
  const { page } = await open(world)
  await click(page, 'Roll back to 0.0.9')
  await click(dialog(), 'Roll back')
  expect(world.jobs.at(-1)?.title).toBe('Roll back to version 0.0.9')
})

it('tells of an update that failed, and why there are none elsewhere', async () => {
  const world = loggedIn()
  world.updates = updates({
    last: { version: '0.2.0', slot: 'b', state: 'failed', reason: 'its API does not answer' },
  })
  const { page } = await open(world)
  expect(text(page)).toContain('The update to version 0.2.0 failed its health checks')
  expect(text(page)).toContain('its API does not answer')
})

it('says where there is no second slot', async () => {
  const world = loggedIn()
  world.updates = updates({ available: false, reason: 'this system has no second slot', slots: [] })
  const { page } = await open(world)
  expect(text(page)).toContain('this system has no second slot')
  expect(page.querySelector('input[type=file]')).toBeNull()
})
