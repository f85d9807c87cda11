/** The generated client, told where the API is, how to prove a click is ours, and what to do when the login has ended. */
import { client } from '@/api/client.gen'
import { keepSent } from './sent'

const CHANGING = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

export interface ClientHooks {
  csrfToken: () => string | undefined
  /** The server answered 401 to a call that needs a login. */
  onLoginEnded: () => void
  /** The server answered that something has to be done before all else: a new password, or a second factor. */
  onSetUpRequired: () => void
  /** The appliance has answered, whatever it said. */
  onAnswer: () => void
  /** A request failed without a response of the appliance. */
  onNoAnswer: () => void
}

const SET_UP_REQUIRED = new Set(['password-change-required', 'second-factor-required'])

/** A proxy's error page is no answer; the API's own errors are JSON. */
const isAnswer = (response: Response): boolean =>
  response.status < 500 || (response.headers.get('Content-Type') ?? '').includes('json')

async function asksToSetUp(response: Response): Promise<boolean> {
  if (response.status !== 403) return false
  const problem = (await response
    .clone()
    .json()
    .catch(() => undefined)) as { type?: string } | undefined
  return SET_UP_REQUIRED.has(problem?.type ?? '')
}

export function setUpClient(hooks: ClientHooks): void {
  client.setConfig({ baseUrl: window.location.origin, credentials: 'same-origin' })
  client.interceptors.request.clear()
  client.interceptors.response.clear()
  client.interceptors.error.clear()
  client.interceptors.request.use((request, options) => {
    if (CHANGING.has(request.method)) keepSent(request, options)
    const token = hooks.csrfToken()
    if (token && CHANGING.has(request.method)) request.headers.set('X-CSRF-Token', token)
    return request
  })
  client.interceptors.error.use((error, response, request) => {
    if (!response && !request?.signal.aborted) hooks.onNoAnswer()
    return error
  })
  client.interceptors.response.use(async (response, request) => {
    if (isAnswer(response)) hooks.onAnswer()
    else hooks.onNoAnswer()
    if (response.status === 401 && !new URL(request.url).pathname.endsWith('/login')) hooks.onLoginEnded()
    if (await asksToSetUp(response)) hooks.onSetUpRequired()
    return response
  })
}
