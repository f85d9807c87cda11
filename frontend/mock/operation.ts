/** What the mock does for one operation of the API: the types are those that the client of the page is generated with. */
import type { Plan } from '@/api'
import type { Operations } from '@/api/operations.gen'
import type { Answer, Planned } from './answers'
import type { NOT_MOCKED } from './operations/notMocked'
import type { World } from './world'

export type OperationId = keyof Operations

type Asked<Id extends OperationId> = Operations[Id]['request']
type Answers<Id extends OperationId> = Operations[Id]['answers']

/** A request of this operation, read as the API document says. */
export interface Call<Id extends OperationId> {
  world: World
  request: Request
  path: NonNullable<Asked<Id>['path']>
  query: NonNullable<Asked<Id>['query']>
  body: Asked<Id>['body']
}

type Success<Id extends OperationId> = {
  [Status in keyof Answers<Id> & number]: Answer<Status, Answers<Id>[Status]>
}[keyof Answers<Id> & number]

/** What a dry run of it answers; never, where there is none. */
type Rehearsed<Id extends OperationId> = 200 extends keyof Answers<Id>
  ? Extract<Answers<Id>[200], Plan>
  : never

/** A success that the API document has, a change that may be a dry run, or a refusal. */
type Result<Id extends OperationId> =
  Success<Id> | ([Rehearsed<Id>] extends [never] ? never : Planned<Success<Id>, Rehearsed<Id>>) | Response

export type Handler<Id extends OperationId> = (call: Call<Id>) => Result<Id> | Promise<Result<Id>>

/** One for every operation of the API, except those that are listed with the reason. */
export type Handlers = { [Id in Exclude<OperationId, keyof typeof NOT_MOCKED>]: Handler<Id> }
