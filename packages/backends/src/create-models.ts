import { type Clock, type ModelResolution, type Models, nearest } from '@cadre/core'
import type { Confine } from './acp/confine.ts'
import type { Backend, BackendContext, BackendLoader, ModelInfo } from './backend.ts'
import { serverConfigProblem } from './copilot-access/missing-server.ts'
import type { ModelsConfig } from './models-config.ts'
import { systemClock } from './pause.ts'
import type { ProgramCalls } from './program-calls.ts'

export interface ModelsOptions {
  /** The default model that the user requested: takes precedence over `CADRE_MODEL` and the configuration. */
  readonly model?: string
  readonly config?: ModelsConfig
  readonly env?: { readonly [name: string]: string | undefined }
  /** The base folder of relative paths in model names. */
  readonly cwd?: string
  readonly clock?: Clock
  readonly random?: () => number
  /**
   * Finds the default model if none was chosen, such as that of a signed-in account. Called once, on first use; must not
   * reject. Without a result, the only model of a configured server is the default.
   */
  readonly defaultModel?: () => Promise<string | undefined>
  /** Starts agent programs in a sandbox. Without it, programs that need one are refused. */
  readonly confine?: Confine
  /** The calls that agent programs carry out themselves. `guard` must wrap the tools of the run. */
  readonly programCalls?: ProgramCalls
  /** Additional backends, by prefix. */
  readonly backends?: { readonly [prefix: string]: BackendLoader }
}

/** A backend is loaded when one of its models is first requested. */
const ownBackends: { readonly [prefix: string]: BackendLoader } = {
  scripted: async (context) => (await import('./scripted/scripted-backend.ts')).openScripted(context),
  openai: async (context) => (await import('./openai/openai-backend.ts')).openOpenAi(context),
  responses: async (context) => (await import('./responses/responses-backend.ts')).openResponses(context),
  anthropic: async (context) => (await import('./anthropic/anthropic-backend.ts')).openAnthropic(context),
  'copilot-ls': async (context) =>
    (await import('./copilot-ls/copilot-ls-backend.ts')).openCopilotLs(context),
  'copilot-sdk': async (context) =>
    (await import('./copilot-sdk/copilot-backend.ts')).openCopilotSdk(context),
  acp: async (context) => (await import('./acp/acp-backend.ts')).openAcp(context),
}

const modelHint =
  'Run "cadre setup" to choose one. Or sign in to GitHub Copilot with "cadre login", or set OPENAI_BASE_URL and OPENAI_API_KEY, or ANTHROPIC_API_KEY, and choose a model with --model BACKEND:NAME, CADRE_MODEL, or "model" in config.yaml.'

/**
 * The catalogue of all backends. `resolve` rejects only with a `configuration` error. The first `resolve` requests the
 * server's list of models: call it early to run that in parallel with other work.
 */
export function createModels(options: ModelsOptions = {}): Models {
  const { config = {}, env = process.env } = options
  const chosen =
    trimmedOrUndefined(options.model) ??
    trimmedOrUndefined(env['CADRE_MODEL']) ??
    trimmedOrUndefined(config.model)
  const context: BackendContext = {
    config,
    env,
    cwd: options.cwd ?? process.cwd(),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    chosen,
    confine: options.confine,
    programCalls: options.programCalls,
  }
  const loaders: { readonly [prefix: string]: BackendLoader } = { ...ownBackends, ...options.backends }
  const loaded = new Map<string, Promise<Backend>>()
  let offered: Promise<string | undefined> | undefined
  return { resolve, close }

  async function resolve(name: string | undefined): Promise<ModelResolution> {
    const wanted = trimmedOrUndefined(name) ?? (await defaultModel())
    if (wanted === undefined) return nothingChosen()
    const { prefix, rest } = split(expand(wanted))
    return prefix === undefined ? resolveBare(rest) : open(prefix, rest)
  }

  async function defaultModel(): Promise<string | undefined> {
    return chosen ?? ofAccount()
  }

  async function ofAccount(): Promise<string | undefined> {
    offered ??= Promise.resolve(options.defaultModel?.())
    return trimmedOrUndefined(await offered)
  }

  async function close(): Promise<void> {
    const backends = await Promise.allSettled(loaded.values())
    await Promise.all(backends.map((backend) => backend.status === 'fulfilled' && backend.value.close?.()))
  }

  /** A name without a backend refers to the default model's backend or, if that has none, to the one that would be the default. */
  async function resolveBare(name: string): Promise<ModelResolution> {
    const fallback = await defaultModel()
    let main = fallback === undefined ? undefined : split(expand(fallback))
    if (main?.prefix === undefined) {
      const other = await ofAccount()
      main = other === undefined ? undefined : split(expand(other))
    }
    const prefix = main?.prefix ?? serverPrefix()
    if (prefix === undefined) {
      if (name.includes(':')) return unknownBackend(name, [])
      const near = nearest(name, Object.keys(config.aliases ?? {}))
      const reason = `no backend is configured for model ${quote(name)}. ${howToGetOne()}`
      return { kind: 'unknown', name, nearest: near, reason, unreachable: true }
    }
    const backend = await load(prefix)
    const resolution = await open(prefix, backend.bare?.(name, main?.rest ?? '') ?? name)
    const isSure = resolution.kind === 'found' && resolution.warning === undefined
    // `opnai:x` must not become a model named "opnai:x" of a server that does not list its models; `org/model:tag` may.
    return isSure || !/^[^/]*:/.test(name) ? resolution : unknownBackend(name, [`${prefix}:${name}`])
  }

  async function open(prefix: string, name: string): Promise<ModelResolution> {
    const backend = await load(prefix)
    return backend.open(
      name,
      (known) => own(config.models, `${prefix}:${known}`) ?? own<ModelInfo>(config.models, known) ?? {},
    )
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
    const { aliases } = config
    const exact = own(aliases, name)
    if (exact !== undefined || aliases === undefined) return exact
    const alike = Object.keys(aliases).filter((key) => key.toLowerCase() === name.toLowerCase())
    return alike.length === 1 ? aliases[alike[0] as string] : undefined
  }

  function split(name: string): { readonly prefix: string | undefined; readonly rest: string } {
    const colon = name.indexOf(':')
    const prefix = colon < 0 ? '' : name.slice(0, colon)
    return own(loaders, prefix) === undefined
      ? { prefix: undefined, rest: name }
      : { prefix, rest: name.slice(colon + 1) }
  }

  /** The backend of the configured server; of two, that of OpenAI's API. */
  function serverPrefix(): 'openai' | 'anthropic' | undefined {
    const has = (section: 'openai' | 'anthropic', ...variables: readonly string[]) =>
      config[section] !== undefined || variables.some((name) => trimmedOrUndefined(env[name]) !== undefined)
    if (has('openai', 'OPENAI_BASE_URL', 'OPENAI_API_KEY')) return 'openai'
    return has('anthropic', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY') ? 'anthropic' : undefined
  }

  function unknownBackend(name: string, further: readonly string[]): ModelResolution {
    const colon = name.indexOf(':')
    const prefix = name.slice(0, colon)
    const near = nearest(prefix, Object.keys(loaders)).map((found) => found + name.slice(colon))
    const known = Object.keys(loaders).join(', ')
    return unknown(name, [...near, ...further], `there is no backend ${quote(prefix)}. Backends: ${known}.`)
  }

  /** If a Copilot server is configured, the hint is about it. */
  function howToGetOne(): string {
    return serverConfigProblem({ env, configured: config.copilot?.server }) ?? modelHint
  }

  async function nothingChosen(): Promise<ModelResolution> {
    const prefix = serverPrefix()
    if (prefix === undefined) return unknown('', [], `no model is configured. ${howToGetOne()}`)
    const names = (await (await load(prefix)).names?.()) ?? []
    const [only, ...others] = names
    if (only !== undefined && others.length === 0) return open(prefix, only)
    const some = names.slice(0, 5).map((name) => `${prefix}:${name}`)
    return unknown(
      '',
      some,
      `a model server is configured, but no model. Choose one with "cadre setup", --model ${prefix}:NAME, CADRE_MODEL, or "model" in config.yaml.`,
    )
  }
}

function unknown(name: string, near: readonly string[], reason: string): ModelResolution {
  return { kind: 'unknown', name, nearest: near, reason }
}

/** Returns an own property, never an inherited one. */
function own<T>(values: { readonly [key: string]: T } | undefined, key: string): T | undefined {
  return values !== undefined && Object.hasOwn(values, key) ? values[key] : undefined
}

function trimmedOrUndefined(text: string | undefined): string | undefined {
  return text?.trim() || undefined
}

function quote(text: string): string {
  return JSON.stringify(text)
}
