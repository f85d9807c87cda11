/** The same change with the command line, from what its commands declare about their parameters. */
import { Placeholder, changedFields, isFields, isPatch, isSame, isSize, named, sizeText } from './asked'
import type { Asked, Fields, Find, Json } from './asked'
import COMMANDS from './commands.gen.json'
import { lines, onInput, quoted } from './shell'

interface Param {
  name: string
  /** The fields that it may give, the first of them present in a request counts. */
  fields: string[]
  /** A flag: the value that it gives. */
  sets?: Json
  /** A flag: the field whose values it gives once more. */
  repeats?: string
  null?: string
  factor?: number
  isMany?: boolean
  isNumber?: boolean
  isFile?: boolean
  isDocument?: boolean
  isRest?: boolean
  isNeeded?: boolean
}

interface Command {
  command: string
  params: Param[]
  follows?: string[]
}

const commands = COMMANDS as unknown as Record<string, Command>
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [value ?? null])

/** The fields of a request by their places: `keep.daily`, and of the items of a list `mappings[].host`. */
function placesOf(value: Json, place: string, found: Map<string, Json>): Map<string, Json> {
  if (isFields(value) && Object.keys(value).length) {
    for (const [key, one] of Object.entries(value)) placesOf(one, place ? `${place}.${key}` : key, found)
  } else if (Array.isArray(value) && value.length && value.every(isFields)) {
    for (const key of new Set(value.flatMap((one) => Object.keys(one as Fields))))
      found.set(
        `${place}[].${key}`,
        value.map((one) => (one as Fields)[key] ?? null),
      )
  } else if (place) found.set(place, value)
  return found
}

class Writer {
  private readonly fields: Map<string, Json>
  private readonly body: Fields
  private readonly written = new Set<string>()
  private readonly words: string[] = []
  private readonly options: string[] = []
  private document: Json | undefined
  private isVarying = false

  constructor(
    private readonly command: Command,
    private readonly asked: Asked,
    private readonly find: Find,
  ) {
    const path = named(asked.path, find) as Fields
    this.body = changedFields(asked)
    this.fields = placesOf({ ...this.body, ...asked.query, ...path }, '', new Map())
  }

  /** Undefined if the command cannot say everything that the request says. */
  text(): string | undefined {
    const isWhole = this.command.params.every((param) => this.add(param) || !param.isNeeded)
    if (!isWhole || [...this.fields].some(([place, value]) => !this.isCovered(place, value))) return undefined
    const line = lines([['lunette', this.command.command, ...this.words].join(' '), ...this.options])
    return this.document === undefined ? line : onInput(line, this.document)
  }

  /** True if the parameter is given. */
  private add(param: Param): boolean {
    if (param.isRest) return this.addRest(param)
    if (param.isDocument) return this.addDocument(param, param.fields[0] ?? '', this.body)
    const place = param.fields.find((one) => this.fields.has(one))
    if (place === undefined) return false
    const value = this.fields.get(place) ?? null
    if (!param.isNeeded && !('sets' in param) && isSame(value, this.asked.known.defaults?.[place]))
      return false
    const texts = this.valuesOf(param, place, value)
    if (!texts) return false
    this.written.add(place)
    for (const text of texts) this.put(param, text)
    return texts.length > 0
  }

  private put(param: Param, text: string): void {
    if (!param.name.startsWith('--')) this.words.push(text)
    else this.options.push(text ? `${param.name} ${text}` : param.name)
  }

  /** What follows the parameter each time it is given; undefined if it cannot give the value. */
  private valuesOf(param: Param, place: string, value: Json): string[] | undefined {
    if (param.repeats) return this.isRepeated(param.repeats, value) ? [''] : undefined
    const items = this.itemsOf(param, place, value)
    if (!items?.length) return undefined
    if ('sets' in param) return items.every((one) => isSame(one, param.sets)) ? [''] : undefined
    const texts = items.map((one) => this.textOf(param, place, one))
    return texts.every((one) => one !== undefined) ? texts : undefined
  }

  private isRepeated(place: string, value: Json): boolean {
    return list(value).length > 0 && isSame(list(value), list(this.fields.get(place)))
  }

  /** In a list of requests for one command only what comes first can differ. */
  private itemsOf(param: Param, place: string, value: Json): Json[] | undefined {
    if (!place.includes('[]') || 'sets' in param)
      return param.isMany && value !== null ? list(value) : [value]
    const items = list(value)
    if (param.isMany && !this.isVarying) {
      this.isVarying = true
      return items
    }
    return items.every((one) => isSame(one, items[0])) ? items.slice(0, 1) : undefined
  }

  private textOf(param: Param, place: string, value: Json): string | undefined {
    if (value === null) return param.null
    if (value instanceof Placeholder) return param.isFile ? `<(printf %s "$${value.variable}")` : undefined
    if (param.isFile) return typeof value === 'string' ? `<(printf %s ${quoted(value)})` : undefined
    if (typeof value === 'number') {
      if (isSize(place) && !param.isNumber) return sizeText(value)
      const number = value / (param.factor ?? 1)
      return Number.isInteger(number) ? String(number) : undefined
    }
    if (typeof value === 'boolean') return value ? 'on' : 'off'
    if (typeof value !== 'string') return undefined
    return quoted(String(named(value, this.find)))
  }

  private addDocument(param: Param, field: string, values: Fields): boolean {
    const value = values[field]
    if (value === undefined) return false
    this.document = value
    for (const place of this.fields.keys())
      if (place === field || place.startsWith(`${field}.`) || place.startsWith(`${field}[`))
        this.written.add(place)
    this.put(param, '-')
    return true
  }

  /** Fields in fields, and those that are removed, in a document. */
  private addRest(param: Param): boolean {
    const rest = Object.entries(this.body).filter(([name, value]) => this.isLeft(name, value))
    if (!rest.length) return false
    return (
      this.addDocument(param, '', { '': Object.fromEntries(rest) }) && this.take(rest.map(([name]) => name))
    )
  }

  private isLeft(name: string, value: Json): boolean {
    if (!isFields(value)) return !this.written.has(name)
    return [...this.fields].some(
      ([place, one]) => place.startsWith(`${name}.`) && !this.isCovered(place, one),
    )
  }

  private take(names: string[]): boolean {
    for (const place of this.fields.keys())
      if (names.some((name) => place === name || place.startsWith(`${name}.`))) this.written.add(place)
    return true
  }

  /** Given, or what the appliance does anyway. */
  private isCovered(place: string, value: Json): boolean {
    if (this.written.has(place) || this.command.follows?.includes(place)) return true
    if (place.includes('[]')) return list(value).every((one) => one === null || one === false)
    if (value === null) return place.includes('.') || !isPatch(this.asked)
    return isSame(value, this.asked.known.defaults?.[place])
  }
}

export function cliOf(asked: Asked, find: Find): string | undefined {
  const command = commands[asked.operation]
  return command && new Writer(command, asked, find).text()
}
