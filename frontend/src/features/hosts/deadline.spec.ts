/** What becomes of the deadline in the requests of a host: null is sent only to take one away. */
import { expect, it } from 'vitest'
import { host } from '../../../mock/hosts'
import { createBody, draftOf, patchBody } from './hostDraft'

const plain = host('plain')
const due = host('due', { opens_without_missing_after_s: 300 })

it('is not set unless somebody asks for it', () => {
  expect(createBody(draftOf()).opens_without_missing_after_s).toBeNull()
  expect(patchBody(draftOf(plain), plain)).toEqual({})
  expect(patchBody(draftOf(due), due)).toEqual({})
})

it('is set, changed and taken away', () => {
  expect(patchBody({ ...draftOf(plain), deadlineS: 60 }, plain)).toEqual({
    opens_without_missing_after_s: 60,
  })
  expect(patchBody({ ...draftOf(due), deadlineS: 60 }, due)).toEqual({ opens_without_missing_after_s: 60 })
  expect(patchBody({ ...draftOf(due), deadlineS: null }, due)).toEqual({
    opens_without_missing_after_s: null,
  })
  expect(createBody({ ...draftOf(), deadlineS: 60 }).opens_without_missing_after_s).toBe(60)
})
