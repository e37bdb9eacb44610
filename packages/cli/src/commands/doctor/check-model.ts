import {
  type AgentDefinition,
  CadreError,
  type ModelResolution,
  type Models,
  messageOf,
  nearestModels,
} from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { modelRefusal, type Policy, restrictModels, withModelAliases } from '@cadre/home'
import type { Settings } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { type Check, fail, ok, warn } from './check.ts'
import { checkAgentModels } from './check-agent-models.ts'
import { type CopilotChecks, isCopilotModel } from './check-copilot.ts'

const timeout = 3000

interface ModelCheck {
  /** The default model, as configured. */
  readonly named: string | undefined
  readonly copilot: Promise<CopilotChecks>
  /** The timeout for the language server, in milliseconds. */
  readonly limit: number
  /** Agents whose models are also looked up. */
  readonly agents: readonly AgentDefinition[]
}

/** Checks the default model: whether it is known, its server answers, and there is a key. Never reads the key itself. */
export async function checkModel(
  io: Io,
  settings: Settings | undefined,
  policy: Policy,
  { named, copilot, limit, agents }: ModelCheck,
): Promise<Check[]> {
  // The configuration cannot be read, so the model that it names is unknown. Another check says why.
  if (settings === undefined && !named) return []
  // Copilot is asked only once.
  if (!named || isCopilotModel(named)) {
    const { models = [] } = await copilot
    const name = named?.slice('copilot-ls:'.length).replace(/@\w+$/, '')
    const meant = models.find(({ id, isDefault }) => (name ? id === name : isDefault))
    const told =
      meant !== undefined
        ? [checkAllowed(named || `copilot-ls:${meant.id}`, policy)]
        : named
          ? [checkCopilotModel(named, models)]
          : undefined
    const isUsable = told?.every(({ status }) => status === 'ok') === true
    if (told !== undefined && (agents.length === 0 || !isUsable)) return told
    if (told !== undefined) return [...told, ...(await ofAgents(await open()))]
  }
  try {
    const models = await open()
    const found = await models.resolve(undefined)
    const { serverConfigProblem } = await import('@cadre/backends')
    const configured = settings?.config.copilot?.server
    if (found.kind === 'unknown') await models.close?.()
    if (found.kind === 'unknown' && !named)
      return [notChosenCheck(found, serverConfigProblem({ env: io.env, configured }))]
    if (found.kind === 'unknown')
      return [
        fail('model', `${named}: ${found.reason}`, nearestOf(found.nearest)),
        ...(await checkServer(io, settings, named ?? '')),
      ]
    const model =
      found.warning === undefined
        ? ok('model', found.model.id)
        : warn('model', `${found.model.id}: ${found.warning}`)
    return [model, ...(await checkServer(io, settings, found.model.id)), ...(await ofAgents(models))]
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return [fail('model', `${named || 'the default'}: ${error.message}`)]
  }

  async function open(): Promise<Models> {
    const written = withModelAliases(settings?.config ?? {}, policy)
    // An alias may refer to a Copilot model.
    const config = { ...written, copilot: { ...written.copilot, idleTimeout: limit } }
    const { createModels } = await import('@cadre/backends')
    const all = createModels({
      config,
      env: io.env,
      cwd: io.cwd,
      clock: systemClock,
      // A bare name refers to the backend of the account.
      defaultModel: async () => accountDefaultModel((await copilot).models),
      ...(named && { model: named }),
    })
    return restrictModels(all, policy)
  }

  /** Closes the models. */
  async function ofAgents(models: Models): Promise<Check[]> {
    try {
      return await checkAgentModels(models, agents)
    } finally {
      await models.close?.()
    }
  }
}

function accountDefaultModel(models: CopilotChecks['models']): string | undefined {
  const standard = models?.find(({ isDefault }) => isDefault)
  return standard && `copilot-ls:${standard.id}`
}

function notChosenCheck(
  { nearest, code, reason }: Extract<ModelResolution, { kind: 'unknown' }>,
  wrong: string | undefined,
): Check {
  if (code === 'policy') return fail('model', reason)
  return fail(
    'model',
    'no model is configured',
    nearestOf(nearest) ??
      wrong ??
      'Run "cadre setup" to choose one, or "cadre login" for GitHub Copilot. "cadre demo" needs no model.',
  )
}

function checkAllowed(id: string, policy: Policy): Check {
  const refusal = modelRefusal(id, policy)
  return refusal === undefined ? ok('model', id) : fail('model', refusal)
}

function checkCopilotModel(named: string, models: readonly { readonly id: string }[]): Check {
  // The Copilot checks explain why there are none.
  if (models.length === 0)
    return warn('model', `${named}: cannot check whether your Copilot plan includes this model`)
  const names = models.map(({ id }) => `copilot-ls:${id}`)
  return fail(
    'model',
    `${named}: your Copilot plan does not include this model`,
    nearestOf(nearestModels(named, names)),
  )
}

function nearestOf(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Nearest: ${names.join(', ')}.`
}

async function checkServer(io: Io, settings: Settings | undefined, model: string): Promise<Check[]> {
  const [prefix = ''] = model.split(':')
  const section = prefix === 'responses' ? 'openai' : prefix
  if (section !== 'openai' && section !== 'anthropic') return []
  const { [section]: configured } = settings?.config ?? {}
  const keyVariable = `${section.toUpperCase()}_API_KEY`
  const urlVariable = `${section.toUpperCase()}_BASE_URL`
  const hasKey = Boolean(io.env[keyVariable] || configured?.keyCommand)
  const standard = section === 'openai' ? 'https://api.openai.com/v1' : 'https://api.anthropic.com'
  const base = io.env[urlVariable] || configured?.baseUrl || (hasKey ? standard : undefined)
  const key = hasKey
    ? ok('key', io.env[keyVariable] ? `in ${keyVariable}` : `from ${section}.keyCommand`)
    : warn(
        'key',
        'not set; some local servers need no key',
        `Set ${keyVariable}, or ${section}.keyCommand in config.yaml.`,
      )
  const fix = `Check ${urlVariable}, or ${section}.baseUrl in config.yaml, and the network.`
  return base === undefined ? [key] : [await checkReachable(base, fix), key]
}

/** Any answer will do, even a refusal; no key is sent. */
async function checkReachable(base: string, fix: string): Promise<Check> {
  let origin = base
  try {
    const url = new URL(base.replaceAll('{model}', 'model'))
    origin = url.origin
    const response = await fetch(url, { signal: AbortSignal.timeout(timeout), redirect: 'manual' })
    await response.body?.cancel()
    return ok('endpoint', `${origin} answers`)
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : messageOf(error)
    return fail('endpoint', `${origin} is not reachable: ${cause}`, fix)
  }
}
