import type { Model } from '@cadre/core'
import { answers, startWire, type Wire, type WireAnswer, type WireScript } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import { fastClock } from '../ask.spec-helpers.ts'
import { createModels } from '../create-models.ts'
import type { ModelsConfig } from '../models-config.ts'

/** Events in a server's format, with their names. */
export function recorded(events: readonly object[], options?: Parameters<typeof answers.raw>[1]): WireAnswer {
  return answers.raw(
    events.map((event) => `event: ${(event as { type?: string }).type}\ndata: ${JSON.stringify(event)}\n\n`),
    options,
  )
}

/** A wire and its model `name`; the server lists no models. */
export async function meetServer(
  script: WireScript,
  name: string,
  config: ModelsConfig = {},
  env: Record<string, string> = {},
): Promise<{ wire: Wire; model: Model }> {
  const wire = await startWire(script)
  onTestFinished(wire.close)
  const found = await createModels({
    env: { OPENAI_BASE_URL: wire.url, ANTHROPIC_BASE_URL: new URL(wire.url).origin, ...env },
    config: {
      ...config,
      openai: { list: false, ...config.openai },
      anthropic: { list: false, ...config.anthropic },
    },
    clock: fastClock(),
    random: () => 0,
  }).resolve(name)
  if (found.kind === 'unknown') throw new Error(found.reason)
  return { wire, model: found.model }
}
