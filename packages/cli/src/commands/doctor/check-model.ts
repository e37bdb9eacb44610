import { CadreError, type ModelResolution, messageOf } from '@cadre/core'
import { systemClock } from '@cadre/disk'
import { allowOnly, type Policy, withModelAliases } from '@cadre/home'
import type { Settings } from '@cadre/runtime'
import type { Io } from '../../io.ts'
import { type Check, fail, ok, warn } from './check.ts'

const timeout = 3000

/** The default model: is it known, does its server answer, is there a key. The key itself is never looked at. */
export async function checkModel(
  io: Io,
  settings: Settings | undefined,
  policy: Policy,
  wanted: string | undefined,
): Promise<Check[]> {
  const config = withModelAliases(settings?.config ?? {}, policy)
  const name = wanted || io.env['CADRE_MODEL'] || config.model
  const { createModels } = await import('@cadre/backends')
  try {
    const all = createModels({
      config,
      env: io.env,
      cwd: io.cwd,
      clock: systemClock,
      ...(name && { model: name }),
    })
    const models = allowOnly(all, policy)
    const found = await models.resolve(undefined)
    if (found.kind === 'unknown' && !name) return [notChosen(found)]
    if (found.kind === 'unknown')
      return [
        fail('model', `${name}: ${found.reason}`, nearestOf(found.nearest)),
        ...(await server(io, settings, name ?? '')),
      ]
    const model =
      found.warning === undefined
        ? ok('model', found.model.id)
        : warn('model', `${found.model.id}: ${found.warning}`)
    return [model, ...(await server(io, settings, found.model.id))]
  } catch (error) {
    if (!(error instanceof CadreError)) throw error
    return [fail('model', `${name ?? 'the default'}: ${error.message}`)]
  }
}

function notChosen({ nearest, code, reason }: Extract<ModelResolution, { kind: 'unknown' }>): Check {
  if (code === 'policy') return fail('model', reason)
  return fail(
    'model',
    'no model is configured',
    nearestOf(nearest) ??
      'Set OPENAI_BASE_URL and OPENAI_API_KEY, and CADRE_MODEL=openai:NAME (or "model" in config.yaml); `cadre demo` works without.',
  )
}

function nearestOf(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Nearest: ${names.join(', ')}.`
}

async function server(io: Io, settings: Settings | undefined, model: string): Promise<Check[]> {
  if (!model.startsWith('openai:')) return []
  const { openai } = settings?.config ?? {}
  const hasKey = Boolean(io.env['OPENAI_API_KEY'] || openai?.keyCommand)
  const base =
    io.env['OPENAI_BASE_URL'] || openai?.baseUrl || (hasKey ? 'https://api.openai.com/v1' : undefined)
  const key = hasKey
    ? ok('key', io.env['OPENAI_API_KEY'] ? 'in OPENAI_API_KEY' : 'from openai.keyCommand')
    : warn(
        'key',
        'none; some servers on this machine need none',
        'Set OPENAI_API_KEY, or openai.keyCommand in config.yaml.',
      )
  return base === undefined ? [key] : [await reach(base), key]
}

/** Any answer will do, a refusal included; no key is sent. */
async function reach(base: string): Promise<Check> {
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
    return fail(
      'endpoint',
      `${origin} does not answer: ${cause}`,
      'Check OPENAI_BASE_URL, or openai.baseUrl in config.yaml, and the network.',
    )
  }
}
