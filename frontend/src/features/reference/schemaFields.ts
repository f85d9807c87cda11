/** A readable schema: its fields, the possible values and unit of each, and the schema that it refers to. */
import { resolve, schemaName } from './apiDocument'
import type { Schema } from './apiDocument'

/** The type of a value: its name, or the name of a schema, within a number of lists. */
export interface Kind {
  /** `string`, `integer`, …; empty if `schema` has a name. */
  word: string
  /** The schema to link to. */
  schema?: string
  isList: boolean
  isMap: boolean
}

export interface Field {
  name: string
  kinds: Kind[]
  isRequired: boolean
  isNullable: boolean
  isSecret: boolean
  description: string
  /** Key of a unit's text, if the name of the field implies one. */
  unit?: Unit
  values: string[]
  /** The meaning of each value, if the document has it. */
  meanings: Record<string, string>
  /** `key: value` pairs such as `maxLength: 63`, in the words of JSON Schema. */
  limits: { key: Limit; value: string }[]
  byDefault?: string
}

export type Unit =
  'bytes' | 'bytesPerSecond' | 'seconds' | 'milliseconds' | 'percent' | 'hours' | 'days' | 'time'
export type Limit = 'minimum' | 'maximum' | 'length' | 'items' | 'pattern'

const UNITS: [RegExp, Unit][] = [
  [/bytes_s$/, 'bytesPerSecond'],
  [/(^|_)bytes(_|$)/, 'bytes'],
  [/_ms$/, 'milliseconds'],
  [/_s$/, 'seconds'],
  [/(^|_)percent$/, 'percent'],
  [/_hours$/, 'hours'],
  [/_days$/, 'days'],
]

export function unitOf(name: string, schema: Schema): Unit | undefined {
  const isTime = alternatives(schema).some(({ format }) => format === 'date-time')
  return isTime ? 'time' : isNumber(schema) ? UNITS.find(([pattern]) => pattern.test(name))?.[1] : undefined
}

const isNumber = (schema: Schema): boolean =>
  alternatives(schema).some(({ type }) => type === 'integer' || type === 'number')
/** The alternatives of a schema, without null. */
const alternatives = (schema: Schema): Schema[] =>
  (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')

function kindOf(schema: Schema): Kind {
  const inner =
    schema.items ?? (typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {})
  const isList = schema.type === 'array'
  const isMap = !isList && typeof schema.additionalProperties === 'object'
  const [meant] = isList || isMap ? alternatives(inner) : [schema]
  const schemaOf = meant?.$ref && schemaName(meant.$ref)
  const word = schemaOf ? '' : [meant?.type ?? 'any', meant?.format].filter(Boolean).join(', ')
  return { word, isList, isMap, ...(schemaOf && { schema: schemaOf }) }
}

const range = (low?: number, high?: number): string => {
  if (low !== undefined && low === high) return String(low)
  if (low === undefined) return `≤ ${high}`
  return high === undefined ? `≥ ${low}` : `${low} – ${high}`
}

function limitsOf(schema: Schema): Field['limits'] {
  const limits: [Limit, string | undefined][] = [
    ['minimum', schema.minimum?.toString()],
    ['maximum', schema.maximum?.toString()],
    [
      'length',
      (schema.minLength ?? schema.maxLength) ? range(schema.minLength, schema.maxLength) : undefined,
    ],
    ['items', (schema.minItems ?? schema.maxItems) ? range(schema.minItems, schema.maxItems) : undefined],
    ['pattern', schema.pattern],
  ]
  return limits.flatMap(([key, value]) => (value === undefined ? [] : [{ key, value }]))
}

/** The possible values of a field, also behind a reference. */
function valuesOf(schema: Schema, schemas: Record<string, Schema>): string[] {
  const meant = resolve(schema.items ?? schema, schemas)
  return (meant.enum ?? (meant.const === undefined ? [] : [meant.const])).map(String)
}

const isPlain = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

export function fieldOf(
  name: string,
  schema: Schema,
  isRequired: boolean,
  schemas: Record<string, Schema>,
): Field {
  const choices = alternatives(schema)
  const unit = unitOf(name, schema)
  return {
    name,
    kinds: choices.map(kindOf),
    isRequired,
    isNullable: (schema.anyOf ?? []).length > choices.length,
    isSecret: Boolean(schema.writeOnly) || choices.some((one) => one.writeOnly),
    description: schema.description ?? choices.find((one) => one.description)?.description ?? '',
    ...(unit && { unit }),
    values: choices.flatMap((one) => valuesOf(one, schemas)),
    meanings: Object.assign(
      {},
      ...choices.map((one) => resolve(one.items ?? one, schemas)['x-enumDescriptions']),
    ) as Record<string, string>,
    limits: choices.flatMap(limitsOf),
    ...(isPlain(schema.default) && { byDefault: JSON.stringify(schema.default) }),
  }
}

/** The fields of a schema; none if it is not an object. */
export function fieldsOf(schema: Schema, schemas: Record<string, Schema>): Field[] {
  const { properties = {}, required = [] } = resolve(schema, schemas)
  return Object.entries(properties).map(([name, one]) => fieldOf(name, one, required.includes(name), schemas))
}

/** Names of the schemas with their own fields that a field refers to. */
export const opensTo = (field: Field, schemas: Record<string, Schema>): string[] =>
  field.kinds.flatMap(({ schema }) => (schema && schemas[schema]?.properties ? [schema] : []))

/** The possible schemas of a response or a body: one, or a resource and the plan of a dry run. */
export const choicesOf = (schema: Schema): Schema[] => alternatives(schema)
