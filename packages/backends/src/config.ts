import { CadreError } from '@cadre/core'
import type { ModelFacts } from './backend.ts'
import { Field, type Origin } from './field.ts'

export interface OpenAiConfig {
  /** For example `http://127.0.0.1:1234/v1`. `{model}` in it is replaced by the model's name. */
  readonly baseUrl?: string
  /** A shell command that prints the key. Run at the first question, and again when the key is refused. */
  readonly keyCommand?: string
  /** The header that carries the key. Default `authorization`, as a bearer token; Azure takes `api-key`. */
  readonly keyHeader?: string
  readonly headers?: { readonly [name: string]: string }
  /** Azure's `api-version`, added to every address. */
  readonly apiVersion?: string
  readonly query?: { readonly [name: string]: string }
  /** Send the key over plain HTTP to a host that is not this machine. */
  readonly allowInsecure?: boolean
  /** False for an endpoint that cannot list its models: it is then not asked. */
  readonly list?: boolean
  /** Milliseconds to wait for the list of models. Default 1000. */
  readonly listTimeout?: number
  /** Milliseconds without a byte after which a question counts as hung. Default 120000. */
  readonly idleTimeout?: number
  /** How often one question is asked at most. Default 5. */
  readonly tries?: number
}

/** The part of `config.yaml` that is about models. */
export interface ModelsConfig {
  /** The default model. */
  readonly model?: string
  /** Names a person made up, and what they stand for. */
  readonly aliases?: { readonly [name: string]: string }
  /** By model id: window and price, where the backend does not say. */
  readonly models?: { readonly [id: string]: ModelFacts }
  readonly openai?: OpenAiConfig
}

/**
 * Reads the keys about models out of a configuration file that was parsed already; other keys are not looked at.
 * `place` turns a path of keys into what a person can open.
 */
export function readModelsConfig(value: unknown, place = (path: string) => path): ModelsConfig {
  if (value === undefined || value === null) return {}
  const origin: Origin = (_owner, _key, path) => place(path)
  const file = new Field(value, origin)
  if (!file.isMapping)
    throw new CadreError('configuration', 'The configuration must be written as keys and values.')
  return {
    ...set('model', file.at('model')?.words()),
    ...set('aliases', file.at('aliases') && record(file.at('aliases') as Field, (field) => field.words())),
    ...set('models', file.at('models') && record(file.at('models') as Field, readFacts)),
    ...set('openai', file.at('openai') && readOpenAi(file.at('openai') as Field)),
  }
}

export function readFacts(field: Field): ModelFacts {
  field.mapping('a model', ['window', 'price'])
  return {
    ...set('window', field.at('window')?.whole(1)),
    ...set('price', field.at('price') && readPrice(field.at('price') as Field)),
  }
}

function readPrice(field: Field): { input: number; output: number } {
  field.mapping('a price', ['input', 'output'])
  const part = (key: string) => field.at(key)?.amount() ?? field.fail(`${field.name} needs "${key}".`)
  return { input: part('input'), output: part('output') }
}

const openAiKeys = {
  baseUrl: (field: Field) => field.words(),
  keyCommand: (field: Field) => field.words(),
  keyHeader: (field: Field) => field.words(),
  headers: (field: Field) => record(field, (item) => item.text()),
  apiVersion: (field: Field) => field.words(),
  query: (field: Field) => record(field, (item) => item.text()),
  allowInsecure: (field: Field) => field.flag(),
  list: (field: Field) => field.flag(),
  listTimeout: (field: Field) => field.whole(1),
  idleTimeout: (field: Field) => field.whole(1),
  tries: (field: Field) => field.whole(1),
}

function readOpenAi(field: Field): OpenAiConfig {
  field.mapping('openai', Object.keys(openAiKeys))
  const read = Object.entries(openAiKeys).map(([key, of]) => [
    key,
    field.at(key) && of(field.at(key) as Field),
  ])
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as OpenAiConfig
}

function record<T>(field: Field, of: (item: Field) => T): { [key: string]: T } {
  return Object.fromEntries(field.entries().map(([key, item]) => [key, of(item)]))
}

// An absent key and a key that is undefined are different things to the compiler, and to whoever prints them.
function set<K extends string, T>(key: K, value: T | undefined): { [P in K]?: T } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: T }
}
