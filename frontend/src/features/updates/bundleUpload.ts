/** Uploads a bundle and reports its progress, which `fetch` does not. */
import type { UpdateBundle } from '@/api'

export interface Upload {
  /** Undefined once it was canceled. Rejects with the API's problem, or with a TypeError if there was no response. */
  done: Promise<UpdateBundle | undefined>
  cancel: () => void
}

/** `onSent` gets the number of bytes sent so far. */
export function uploadBundle(
  file: File,
  csrfToken: string | undefined,
  onSent: (bytes: number) => void,
): Upload {
  const request = new XMLHttpRequest()
  const done = new Promise<UpdateBundle | undefined>((resolve, reject) => {
    const fail = (): void => reject(new TypeError('the bundle was not sent'))
    request.open('POST', '/api/v1/updates/bundle')
    request.responseType = 'json'
    request.setRequestHeader('Content-Type', 'application/octet-stream')
    if (csrfToken) request.setRequestHeader('X-CSRF-Token', csrfToken)
    request.upload.addEventListener('progress', (event) => onSent(event.loaded))
    request.addEventListener('load', () => {
      if (request.status === 201) resolve(request.response as UpdateBundle)
      else if (request.response) reject(request.response as Error)
      else fail()
    })
    request.addEventListener('error', fail)
    request.addEventListener('abort', () => resolve(undefined))
    request.send(file)
  })
  return { done, cancel: () => request.abort() }
}
