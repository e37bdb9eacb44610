import type { HookEvent } from '@cadre/agents'
import { messageOf, type SessionSpec } from '@cadre/core'
import type { Hook } from './hook.ts'
import { type HookOccurrence, payloadFor } from './payload.ts'
import { placeOf } from './place-of.ts'
import { type HookAnswer, readAnswer } from './read-answer.ts'
import { type HookEnd, type HookEnvironment, runHook } from './run-hook.ts'

export interface HookRunnerOptions extends HookEnvironment {
  readonly tell: (message: string) => void
  readonly transcript: (session: string) => string | undefined
  readonly now: () => number
  readonly ran?: ((run: HookRun) => void) | undefined
}

/** A hook that has run. Times are in milliseconds since 1970. */
export interface HookRun {
  readonly session: string
  /** The call that it was asked about. */
  readonly call?: string
  readonly event: HookEvent
  /** `path:line`. */
  readonly place: string
  readonly begun: number
  readonly ended: number
  readonly decision?: 'allow' | 'ask' | 'deny'
  /** Why it failed: `timeout`, `exit 1`. */
  readonly error?: string
}

export interface HookRunner {
  /** Runs one hook and parses its answer. Never rejects. A background hook has no answer. */
  run(hook: Hook, happening: HookOccurrence, session: SessionSpec, signal: AbortSignal): Promise<HookAnswer>
}

const nothing: HookAnswer = {}
/** The number of sessions whose `once` hooks are remembered; far more than run at once. */
const maxSessions = 10_000

export function createHookRunner(options: HookRunnerOptions): HookRunner {
  const { tell, transcript, now, project } = options
  const done = new Set<string>()
  const ask = async (hook: Hook, happening: HookOccurrence, session: SessionSpec, signal: AbortSignal) => {
    const payload = payloadFor(hook, happening, { session, now: now(), transcript })
    const begun = now()
    const end = await runHook(hook, payload, options, signal)
    const answer = readAnswer(hook, end)
    options.ran?.({
      session: session.id,
      ...('call' in happening && { call: happening.call }),
      event: hook.event,
      place: placeOf(hook, project),
      begun,
      ended: now(),
      ...(answer.decision && { decision: answer.decision }),
      ...errorOf(end),
    })
    return answer
  }
  return {
    async run(hook, happening, session, signal) {
      if (hook.once) {
        const key = `${session.id} ${placeOf(hook, project)}`
        if (done.has(key)) return nothing
        if (done.size > maxSessions) done.clear()
        done.add(key)
      }
      if (!hook.background) return ask(hook, happening, session, signal)
      // It does not end with the session: it may still write its log after the call is done.
      void ask(hook, happening, session, new AbortController().signal)
        .then(({ notices = [] }) => {
          for (const notice of notices) tell(`hook ${placeOf(hook, project)}: ${notice}`)
        })
        .catch((error) => tell(`hook ${placeOf(hook, project)} failed: ${messageOf(error)}`))
      return nothing
    },
  }
}

export function noticesOf(place: string, { notices = [] }: HookAnswer): readonly string[] {
  return notices.map((notice) => `hook ${place}: ${notice}`)
}

/** Exit code 2 is an answer: the hook blocks something. */
function errorOf(end: HookEnd): { readonly error?: string } {
  if (end.kind === 'failed') return { error: end.why }
  return end.code === 0 || end.code === 2 ? {} : { error: `exit ${end.code}` }
}
