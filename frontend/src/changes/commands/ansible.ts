/** The same change as a task of Ansible, from what the collection declares about its modules. */
import { dump } from 'js-yaml'
import { Placeholder, changedFields, hasSecret, isFields, isPatch, isSize, named, sizeText } from './asked'
import type { Asked, Fields, Find, Json } from './asked'
import MODULES from './modules.gen.json'

interface Module {
  module: string
  does: 'create' | 'patch' | 'delete' | 'act'
  /** The options that say which resource is meant. */
  key?: string[]
  consents: string[]
  clear?: string[]
}

const COLLECTION = 'lunette.appliance'

export interface Consents {
  /** The name of the task. */
  title: string
  isDestroying: boolean
  isInUse: boolean
}

const modules = MODULES as unknown as Record<string, Module>
const LOOKUP = 'ansible.builtin.env'

/** As a play has it: sizes with their units, secrets from the environment, nothing that is not said. */
function inPlay(value: Json, field = ''): Json {
  if (value instanceof Placeholder) return `{{ lookup('${LOOKUP}', '${value.variable}') }}`
  if (typeof value === 'number' && isSize(field)) return sizeText(value)
  if (Array.isArray(value)) return value.map((one) => inPlay(one))
  if (!isFields(value)) return value
  const given = Object.entries(value).filter(([, one]) => one !== null)
  return Object.fromEntries(given.map(([name, one]) => [name, inPlay(one, name)]))
}

/** The options that name the resource; undefined if its name is not known. */
function keyOf(module: Module, asked: Asked, find: Find): Fields | undefined {
  const [id = ''] = Object.values(asked.path)
  const keys = module.key ?? []
  const [key] = keys
  if (key === undefined) return {}
  const found = find(id) ?? asked.before
  if (keys.length === 1) return { [key]: (found[key] as Json | undefined) ?? id }
  const given = keys.filter((one) => typeof found[one] === 'string')
  return given.length ? Object.fromEntries(given.map((one) => [one, found[one] as Json] as const)) : undefined
}

/** Fields that are removed have an option of their own; undefined if one of them cannot be removed. */
function cleared(module: Module, asked: Asked, body: Fields): Fields | undefined {
  if (!isPatch(asked)) return {}
  const names = Object.keys(body).filter((name) => body[name] === null)
  if (!names.every((name) => module.clear?.includes(name))) return undefined
  return names.length ? { clear: names } : {}
}

function renamed(key: Fields, body: Fields): Fields {
  const [[name, old] = ['', null]] = Object.entries(key)
  return body[name] === undefined || body[name] === old ? {} : { renamed_from: old }
}

function optionsOf(module: Module, asked: Asked, find: Find): Fields | undefined {
  if (module.does === 'create') return asked.body
  if (module.does === 'act') return { ...asked.path, ...asked.body }
  const key = keyOf(module, asked, find)
  if (!key) return undefined
  if (module.does === 'delete') return { ...key, state: 'absent' }
  const body = changedFields(asked)
  const removal = cleared(module, asked, body)
  return removal && { ...key, ...body, ...removal, ...renamed(key, body) }
}

export function ansibleOf(
  asked: Asked,
  find: Find,
  { title, isDestroying, isInUse }: Consents,
): string | undefined {
  const module = modules[asked.operation]
  const options = module && optionsOf(module, asked, find)
  if (!module || !options) return undefined
  const given: Record<string, boolean> = {
    destroy_data: isDestroying || module.does === 'delete',
    in_use: isInUse,
    cascade: asked.query['cascade'] === true,
    update_secret: module.does === 'patch' && hasSecret(asked.body),
  }
  const consents = module.consents.filter((name) => given[name]).map((name) => [name, true] as const)
  const values = inPlay(named({ ...options, ...Object.fromEntries(consents) }, find)) as Fields
  const task = { name: title, [`${COLLECTION}.${module.module}`]: values }
  return dump([task], { lineWidth: 100, noRefs: true, quotingType: '"' })
}
