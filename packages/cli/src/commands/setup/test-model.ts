import { createModels } from '@cadre/backends'
import { systemClock } from '@cadre/disk'
import type { Io } from '../../io.ts'
import type { Candidate } from './candidate.ts'

export type TestResult =
  | { readonly kind: 'ok'; readonly ms: number; readonly model: string }
  | { readonly kind: 'failed'; readonly message: string; readonly rejectsKey?: boolean | undefined }
  | { readonly kind: 'cancelled' }

/** Sends one short request. */
export async function testModel(
  io: Io,
  candidate: Candidate,
  model: string,
  signal: AbortSignal,
): Promise<TestResult> {
  const models = createModels({
    config: candidate.config,
    env: candidate.env,
    cwd: io.cwd,
    clock: systemClock,
  })
  try {
    const found = await models.resolve(model)
    if (found.kind === 'unknown') return { kind: 'failed', message: found.reason }
    const started = Date.now()
    const reply = await found.model.reply(
      {
        agent: 'setup',
        session: 'setup',
        round: 1,
        system: 'Answer with one word.',
        messages: [{ role: 'user', content: 'Say hello.' }],
        tools: [],
      },
      { text: () => {} },
      signal,
    )
    found.model.release?.('setup')
    if (reply.kind === 'reply') return { kind: 'ok', ms: Date.now() - started, model: found.model.id }
    if (reply.code === 'cancelled') return { kind: 'cancelled' }
    return { kind: 'failed', message: reply.message, rejectsKey: reply.rejectsKey }
  } finally {
    await models.close?.()
  }
}
