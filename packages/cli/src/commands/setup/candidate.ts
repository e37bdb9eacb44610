import {
  findServer,
  type ListedModel,
  listAllModels,
  type ModelsConfig,
  mayBeSignedIn,
} from '@cadre/backends'
import type { Io } from '../../io.ts'
import type { NewSetting } from '../config/config-set.ts'
import { findLocalServers } from './find-local-servers.ts'

export type BackendName = 'openai' | 'responses' | 'anthropic' | 'copilot-ls'

/** A backend that a person can choose. */
export interface Candidate {
  readonly backend: BackendName
  readonly label: string
  /** Its configuration for the test. */
  readonly config: ModelsConfig
  readonly env: Io['env']
  /** The settings to store besides the model. */
  readonly settings: readonly NewSetting[]
}

/** Variables that would affect where a request goes. */
const serverVariables = ['OPENAI_BASE_URL', 'OPENAI_API_KEY', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY']

/** The environment without variables that name a server or contain its key. */
export function withoutServers(env: Io['env']): Io['env'] {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !serverVariables.includes(name)))
}

export interface ServerChoice {
  readonly backend: Exclude<BackendName, 'copilot-ls'>
  readonly label: string
  readonly baseUrl?: string | undefined
  readonly keyCommand?: string | undefined
  /** For the test only; it is stored elsewhere. */
  readonly key?: string | undefined
}

/** A server that the user named, or that answers on this machine. */
export function serverCandidate(
  io: Io,
  { backend, label, baseUrl, keyCommand, key }: ServerChoice,
): Candidate {
  const section = backend === 'anthropic' ? 'anthropic' : 'openai'
  const values = { ...(baseUrl && { baseUrl }), ...(keyCommand && { keyCommand }) }
  const keyVariable = section === 'anthropic' ? 'ANTHROPIC_API_KEY' : 'OPENAI_API_KEY'
  return {
    backend,
    label,
    config: { [section]: values },
    env: { ...withoutServers(io.env), ...(key && { [keyVariable]: key }) },
    settings: Object.entries(values).map(([name, value]) => ({ keys: [section, name], value })),
  }
}

/** Existing options: variables, the configuration, servers on this machine, the sign-in to Copilot. */
export async function findCandidates(io: Io, config: ModelsConfig): Promise<Candidate[]> {
  const { env } = io
  const given = (name: string) => (env[name]?.trim() ? name : undefined)
  const local = findLocalServers(io.cwd, localPorts(env))
  const ofSection = (backend: 'openai' | 'anthropic', ...names: readonly string[]): Candidate[] => {
    const from = names.flatMap((name) => given(name) ?? [])
    const settings = config[backend]
    const configured = settings?.baseUrl ?? settings?.keyCommand
    if (from.length === 0 && configured === undefined) return []
    const address = env[names[0] ?? '']?.trim() || settings?.baseUrl
    const where = address === undefined ? '' : ` at ${address}`
    const label = `${backend === 'openai' ? 'OpenAI API' : 'Anthropic API'}${where} (${from.join(', ') || 'your configuration'})`
    return [{ backend, label, config, env, settings: [] }]
  }
  return [
    ...ofSection('openai', 'OPENAI_BASE_URL', 'OPENAI_API_KEY'),
    ...ofSection('anthropic', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY'),
    ...(await local).map(({ name, baseUrl, models }) =>
      serverCandidate(io, {
        backend: 'openai',
        label: `${name} at ${baseUrl} (${count(models.length)})`,
        baseUrl,
      }),
    ),
    ...(mayBeSignedIn(env) && findServer({ env, configured: config.copilot?.server }) !== undefined
      ? [{ backend: 'copilot-ls' as const, label: 'GitHub Copilot (signed in)', config, env, settings: [] }]
      : []),
  ]
}

export interface CandidateModels {
  readonly models: readonly ListedModel[]
  /** The default model of the account. */
  readonly defaultModel?: string | undefined
  /** Why there are none, in full sentences. */
  readonly trouble?: string | undefined
  /** There are none because the server requires another key, or any key. */
  readonly rejectsKey?: boolean | undefined
}

/** The timeout for a list, in milliseconds; the Copilot language server must start first. */
const limit = 20_000

export async function modelsOf(io: Io, { backend, config, env }: Candidate): Promise<CandidateModels> {
  const only = [backend === 'responses' ? 'openai' : backend]
  const [listed] = await listAllModels({ config, env, cwd: io.cwd, limit, only })
  if (listed === undefined) return { models: [], trouble: 'no server is configured.' }
  const models = listed.models.map((model) =>
    backend === 'responses' ? { ...model, id: model.id.replace(/^openai:/, 'responses:') } : model,
  )
  const { defaultModel, trouble, rejectsKey } = listed
  return { models, defaultModel, trouble, rejectsKey }
}

/** `CADRE_SETUP_PORTS=name:port,…` replaces the default ports, for tests and unusual machines. */
function localPorts(env: Io['env']): readonly (readonly [string, number])[] | undefined {
  const text = env['CADRE_SETUP_PORTS']
  if (text === undefined) return undefined
  return text.split(',').flatMap((entry) => {
    const [name = '', port = ''] = entry.split(':')
    return /^\d{1,5}$/.test(port) ? [[name, Number(port)] as const] : []
  })
}

function count(models: number): string {
  return models === 1 ? '1 model' : `${models} models`
}
