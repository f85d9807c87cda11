/** Opens a page of the whole application on the mock world, for component tests. */
import { flushPromises } from '@vue/test-utils'
import { onTestFinished, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import nuxtUi from '@nuxt/ui/vue-plugin'
import { useToast } from '@nuxt/ui/composables'
import { createLunette } from '@/app/createLunette'
import { makeI18n } from '@/app/i18n'
import { makeApi } from './api'
import type { World } from './world'

/** Stands in for the browser's event stream; the test plays the server. */
export class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2
  static last?: FakeEventSource
  readyState = 1

  constructor(readonly url: string) {
    super()
    FakeEventSource.last = this
  }

  close(): void {
    this.readyState = FakeEventSource.CLOSED
  }

  open(): void {
    this.dispatchEvent(new Event('open'))
  }

  fail(): void {
    this.dispatchEvent(new Event('error'))
  }

  beat(): void {
    this.dispatchEvent(new MessageEvent('heartbeat', { data: '{}' }))
  }

  tell(data: string): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

/** The path, with its query, of every request the application sent. */
export type Requests = string[]

export function serve(world: World): Requests {
  const answer = makeApi(world)
  const requests: Requests = []
  vi.stubGlobal('EventSource', FakeEventSource)
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = new Request(input, init)
    const { pathname, search } = new URL(request.url)
    requests.push(`${request.method} ${pathname.replace('/api/v1', '')}${decodeURIComponent(search)}`)
    return answer(request)
  })
  return requests
}

/** Answers to these requests, such as `GET /status`, arrive only when the function that this returns is called. */
export function hold(asked: string): () => void {
  const answer = fetch
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const request = new Request(input, init)
    const response = await answer(request)
    if (`${request.method} ${new URL(request.url).pathname.replace('/api/v1', '')}` === asked) await released
    return response
  })
  return release
}

export async function visit(path: string, world: World) {
  const requests = serve(world)
  const page = document.createElement('div')
  document.body.append(page)
  const { app, router, queryClient } = createLunette(createMemoryHistory())
  // Trying again after a failure is waited for in seconds elsewhere; not here.
  queryClient.setDefaultOptions({ queries: { ...queryClient.getDefaultOptions().queries, retryDelay: 0 } })
  // A component that was not imported leaves a hole in the page, of which Vue only warns.
  app.config.warnHandler = (message, _instance, trace) => {
    if (message.startsWith('Failed to resolve')) throw new Error(message)
    console.warn(`[Vue warn]: ${message}${trace}`)
  }
  await router.push(path)
  await router.isReady()
  app.mount(page)
  onTestFinished(() => {
    // Toasts belong to the module, not to the application: without this the next test shows them.
    app.runWithContext(() => useToast().clear())
    app.unmount()
    queryClient.clear()
    document.body.replaceChildren()
    localStorage.clear()
  })
  await settle()
  return { page, router, requests, queryClient }
}

/** Waits until nothing is on its way any more: lazy pages, answers, and what they draw. */
export async function settle(): Promise<void> {
  const ROUNDS = 4
  for (let round = 0; round < ROUNDS; round += 1) {
    await vi.dynamicImportSettled()
    await flushPromises()
  }
}

/** Its name for a screen reader, or its text with the white space of the template taken out. */
export const text = (element: Element): string =>
  element.getAttribute('aria-label') ?? element.textContent.replace(/\s+/g, ' ').trim()

/** The button or link with this name; the test fails with the names there are. */
export function control(page: Element, name: string): HTMLElement {
  const found = [...page.querySelectorAll<HTMLElement>('button, a')]
  const match = found.find((element) => text(element) === name)
  if (!match) throw new Error(`No button or link "${name}"; there are: ${found.map(text).join(' | ')}`)
  return match
}

/** The input with this label. */
export function field(page: Element, label: string): HTMLInputElement {
  const labels = [...page.querySelectorAll('label')]
  const match = labels.find((element) => text(element) === label)
  const input = match
    ? page.querySelector<HTMLInputElement>(`#${CSS.escape(match.htmlFor)}`)
    : page.querySelector<HTMLInputElement>(`input[aria-label="${label}"]`)
  if (!input) throw new Error(`No field "${label}"; there are: ${labels.map(text).join(' | ')}`)
  return input
}

/** Clicks the checkboxes around which these labels are, such as those that select the rows of a table. */
export async function tick(page: Element, ...labels: string[]): Promise<void> {
  for (const label of labels) {
    const found = [...page.querySelectorAll('label')].find((element) => text(element) === label)
    const input = found?.querySelector('input')
    if (!input) throw new Error(`No checkbox "${label}".`)
    input.click()
  }
  await settle()
}

export function type(input: HTMLInputElement, value: string): void {
  input.value = value
  input.dispatchEvent(new Event('input', { bubbles: true }))
}

/** The dialog that is open; the test fails when there is none. */
export function dialog(): HTMLElement {
  const open = document.querySelector<HTMLElement>('[role=dialog]')
  if (!open) throw new Error('No dialog is open.')
  return open
}

/** Clicks what has this name, and waits for what comes of it. */
export async function click(page: Element, name: string): Promise<void> {
  control(page, name).click()
  await settle()
}

/** The tests' document has no layout; a long list draws what is in sight, so its frame is told how high it is. */
export function tall(rows = 12): void {
  const ROW_PX = 45
  const told: [HTMLElement, string, number][] = [
    [HTMLDivElement.prototype, 'clientHeight', rows * ROW_PX],
    [HTMLTableSectionElement.prototype, 'offsetHeight', ROW_PX],
  ]
  for (const [kind, name, height] of told)
    Object.defineProperty(kind, name, { configurable: true, get: () => height })
  onTestFinished(() => told.forEach(([kind, name]) => Reflect.deleteProperty(kind, name)))
}

/** A window of this size, until the test ends. */
export function resize(width: number, height = 900): void {
  const { happyDOM } = window as unknown as { happyDOM: { setViewport: (size: object) => void } }
  const put = (size: { width: number; height: number }) => happyDOM.setViewport(size)
  put({ width, height })
  onTestFinished(() => put({ width: 1440, height: 900 }))
}

/** The table as rows of cell texts. */
export function rows(page: Element): string[][] {
  return [...page.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('td')].map(text))
}

/** What a single component of src/ui needs around it. */
export function plugins() {
  return [
    makeI18n(),
    createRouter({ history: createMemoryHistory(), routes: [{ path: '/:any(.*)*', component: {} }] }),
    nuxtUi,
  ]
}
