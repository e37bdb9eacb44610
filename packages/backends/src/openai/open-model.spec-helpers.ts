import type { Clock, Model } from '@cadre/core'
import { startWire, type Wire, type WireScript } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { fastClock } from '../ask.spec-helpers.ts'
import { createModels } from '../create-models.ts'
import type { ModelsConfig, OpenAiConfig } from '../models-config.ts'

export interface OpenOptions {
  readonly env?: Record<string, string>
  readonly openai?: OpenAiConfig
  readonly models?: ModelsConfig['models']
  readonly clock?: Clock
}

/** Opens a model of the server at `url` through the catalogue. */
export async function openModel(url: string, options: OpenOptions = {}): Promise<Model> {
  const { env, openai, models, clock = fastClock() } = options
  const config = { openai: { list: false, ...openai }, ...(models && { models }) }
  const found = await createModels({
    env: { OPENAI_BASE_URL: url, ...env },
    config,
    clock,
    random: () => 0,
  }).resolve('openai:m')
  if (found.kind === 'unknown') throw new Error(found.reason)
  return found.model
}

/** A wire and a model of it, for one test. */
export async function meet(script: WireScript, options?: OpenOptions): Promise<{ wire: Wire; model: Model }> {
  const wire = await startWire(script)
  onTestFinished(wire.close)
  return { wire, model: await openModel(wire.url, options) }
}
