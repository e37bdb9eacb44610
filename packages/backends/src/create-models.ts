import type { Clock, ModelResolution, Models } from '@cadre/core'
import type { Backend, BackendContext, BackendLoader } from './backend.ts'
import type { ModelsConfig } from './config.ts'
import { nearest } from './nearest.ts'
import { systemClock } from './pause.ts'

export interface ModelsOptions {
  /** The default model as the person who starts this asked for it: before `CADRE_MODEL` and the configuration. */
  readonly model?: string
  readonly config?: ModelsConfig
  readonly env?: { readonly [name: string]: string | undefined }
  /** Relative paths in model names start here. */
  readonly cwd?: string
  readonly clock?: Clock
  readonly random?: () => number
  /** Further backends, by prefix. */
  readonly backends?: { readonly [prefix: string]: BackendLoader }
}

/** Nothing of a backend is loaded before a model of it is asked for. */
const ownBackends: { readonly [prefix: string]: BackendLoader } = {
  scripted: async (context) => (await import('./scripted/scripted-backend.ts')).openScripted(context),
  openai: async (context) => (await import('./openai/openai-backend.ts')).openOpenAi(context),
}

/** The catalogue over all backends. `resolve` rejects only with a `configuration` error. */
export function createModels(options: ModelsOptions = {}): Models {
  const { config = {}, env = process.env } = options
  const context: BackendContext = {
    config,
    env,
    cwd: options.cwd ?? process.cwd(),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  }
  const loaders = { ...ownBackends, ...options.backends }
  const loaded = new Map<string, Promise<Backend>>()
  const standard = given(options.model) ?? given(env['CADRE_MODEL']) ?? given(config.model)
  return { resolve }

  async function resolve(name: string | undefined): Promise<ModelResolution> {
    const wanted = given(name) ?? standard
    if (wanted === undefined) return nothingConfigured()
    const full = expand(wanted)
    const prefix = prefixOf(full)
    return prefix === undefined ? resolveBare(full) : open(prefix, full.slice(prefix.length + 1))
  }

  /** A name without a backend belongs to the default model's backend. */
  async function resolveBare(name: string): Promise<ModelResolution> {
    const main = standard === undefined ? undefined : expand(standard)
    const prefix = main === undefined ? undefined : prefixOf(main)
    const home = prefix ?? (hasOpenAi(context) ? 'openai' : undefined)
    if (home === undefined)
      return unknown(name, nearestNames(name), `No backend is configured for ${quote(name)}. ${howTo}`)
    const backend = await load(home)
    const standing = prefix === undefined ? '' : (main ?? '').slice(prefix.length + 1)
    const resolution = await open(home, backend.bare?.(name, standing) ?? name)
    const colon = name.indexOf(':')
    if (colon < 0 || (resolution.kind === 'found' && resolution.warning === undefined)) return resolution
    // `ollmaa:x` must not become a model called "ollmaa:x" of an endpoint that accepts any name.
    return unknown(
      name,
      [...nearestNames(name.slice(0, colon)).map((near) => near + name.slice(colon)), `${home}:${name}`],
      `There is no backend ${quote(name.slice(0, colon))}; the backends are: ${Object.keys(loaders).join(', ')}.`,
    )
  }

  async function open(prefix: string, name: string): Promise<ModelResolution> {
    const backend = await load(prefix)
    const facts = config.models?.[`${prefix}:${name}`] ?? config.models?.[name] ?? {}
    return backend.open(name, facts)
  }

  function load(prefix: string): Promise<Backend> {
    let backend = loaded.get(prefix)
    if (backend === undefined) {
      backend = (loaders[prefix] as BackendLoader)(context)
      loaded.set(prefix, backend)
    }
    return backend
  }

  /** Follows aliases, each at most once. */
  function expand(name: string): string {
    const seen = new Set<string>()
    let full = name
    for (let next = aliasOf(full); next !== undefined && !seen.has(full); next = aliasOf(full)) {
      seen.add(full)
      full = next
    }
    return full
  }

  function aliasOf(name: string): string | undefined {
    return config.aliases && Object.hasOwn(config.aliases, name) ? config.aliases[name] : undefined
  }

  function prefixOf(name: string): string | undefined {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, Math.max(colon, 0))
    return Object.hasOwn(loaders, prefix) ? prefix : undefined
  }

  function nearestNames(name: string): string[] {
    return nearest(name, [...Object.keys(loaders), ...Object.keys(config.aliases ?? {})])
  }

  async function nothingConfigured(): Promise<ModelResolution> {
    if (!hasOpenAi(context)) return unknown('', [], `No model is configured. ${howTo}`)
    const backend = await load('openai')
    const names = (await backend.names?.()) ?? []
    return unknown(
      '',
      names.slice(0, 5).map((name) => `openai:${name}`),
      `An endpoint is configured, but no model: choose one with --model openai:NAME, CADRE_MODEL or "model" in config.yaml.`,
    )
  }
}

const howTo =
  'Use --model scripted:FILE for a scripted one; or set OPENAI_BASE_URL and OPENAI_API_KEY, and --model openai:NAME (or CADRE_MODEL, or "model" in config.yaml).'

function hasOpenAi({ config, env }: BackendContext): boolean {
  return (
    config.openai !== undefined ||
    given(env['OPENAI_BASE_URL']) !== undefined ||
    given(env['OPENAI_API_KEY']) !== undefined
  )
}

function unknown(name: string, near: readonly string[], reason: string): ModelResolution {
  return { kind: 'unknown', name, nearest: near, reason }
}

function given(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

function quote(text: string): string {
  return JSON.stringify(text)
}
