import type { JsonObject } from '@cadre/core'
import type { Hook } from './hook.ts'
import { matchesHook } from './matches-hook.ts'
import { payloadFor } from './payload.ts'
import { createProcessSlots } from './process-slots.ts'
import { type HookAnswer, readAnswer } from './read-answer.ts'
import { type HookEnd, type HookEnvironment, runHook } from './run-hook.ts'
import type { Sample } from './samples.ts'

export interface TryHooksRequest extends Omit<HookEnvironment, 'slots'> {
  /** The hooks of one event. Idle and non-matching ones are skipped. */
  readonly hooks: readonly Hook[]
  readonly sample: Sample
  readonly now: number
  readonly transcript?: ((session: string) => string | undefined) | undefined
}

/** One run of one hook: its payload, its result, and what that means. */
export interface HookTrial {
  readonly hook: Hook
  readonly payload: JsonObject
  readonly end: HookEnd
  readonly answer: HookAnswer
}

/** Runs hooks one after the other with a sample. */
export async function tryHooks(request: TryHooksRequest, signal: AbortSignal): Promise<readonly HookTrial[]> {
  const { hooks, sample, now, transcript = () => undefined } = request
  const slots = createProcessSlots(1)
  const trials: HookTrial[] = []
  for (const hook of hooks) {
    if (hook.idle !== undefined || !matchesHook(hook, sample.subject)) continue
    for (const happening of sample.happenings(hook)) {
      const payload = payloadFor(hook, happening, { session: sample.session, now, transcript })
      const end = await runHook(hook, payload, { ...request, slots }, signal)
      trials.push({ hook, payload, end, answer: readAnswer(hook, end) })
    }
  }
  return trials
}

/** The overall decision: the strictest one applies. */
export function strictestDecision(
  trials: readonly HookTrial[],
): 'allow' | 'ask' | 'deny' | 'block' | 'stop' | 'none' {
  const said = (decision: HookAnswer['decision']) => trials.some(({ answer }) => answer.decision === decision)
  if (trials.some(({ answer }) => answer.stop !== undefined)) return 'stop'
  if (said('deny')) return 'deny'
  if (trials.some(({ answer }) => answer.blocked !== undefined)) return 'block'
  if (said('ask')) return 'ask'
  return said('allow') ? 'allow' : 'none'
}
