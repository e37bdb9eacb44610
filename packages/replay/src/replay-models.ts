import type { Model, ModelRequest, Models, Reply, ReplyFailure } from '@cadre/core'
import type { LiveSession } from './live-session.ts'
import type { ReplayScheduler } from './replay-scheduler.ts'

const failed = (code: string, message: string) => ({ kind: 'failed', code, message }) as ReplyFailure

/** Models that answer with the recorded replies. Every model name is valid, because a replay ignores model availability. */
export function replayModels(stage: ReplayScheduler, usual: string): Models {
  const known = new Map<string, Model>()
  const modelOf = (id: string): Model => {
    const model = known.get(id) ?? {
      id,
      // Budgets are charged with the recorded usage, regardless of this model's price.
      capsReplies: true,
      maxOutput: 1,
      price: { input: 0, output: 0 },
      reply: (request, _hooks, signal) => replyOf(stage, request, signal),
    }
    known.set(id, model)
    return model
  }
  return { resolve: async (name = usual) => ({ kind: 'found', model: modelOf(name) }) }
}

async function replyOf(
  stage: ReplayScheduler,
  { session, purpose }: ModelRequest,
  signal: AbortSignal,
): Promise<Reply | ReplyFailure> {
  const live = stage.live(session)
  if (live === undefined) return failed('backend', 'the session has not been started')
  const { lane, rounds } = live
  if (purpose === 'summary') {
    const summary = lane.compactions[live.compactions]?.summary ?? ''
    return { kind: 'reply', content: stage.text(live, summary), calls: [] }
  }
  const reply = lane.replies[rounds]
  if (reply === undefined) return noReply(stage, live, signal)
  const { content, tool_calls = [], usage, model, stop } = reply
  return {
    kind: 'reply',
    content: content === null ? null : stage.text(live, content),
    calls: tool_calls.map((call) => ({
      ...call,
      function: { ...call.function, arguments: stage.text(live, call.function.arguments, true) },
    })),
    ...(usage && { usage }),
    ...(model !== undefined && { model }),
    ...(stop && { stop }),
  }
}

/** The recording contains no further reply: the session fails or is stopped as in the recording, or it has left the recorded path. */
async function noReply(
  stage: ReplayScheduler,
  live: LiveSession,
  signal: AbortSignal,
): Promise<ReplyFailure> {
  const { report } = live.lane.ends.at(-1) ?? {}
  const { code = '', message = '' } = report?.notices?.at(-1) ?? {}
  if (report?.status === 'cancelled') {
    await stage.awaitStop(live, signal)
    return failed('cancelled', 'cancelled')
  }
  if (report?.status === 'error' || (report?.status === 'incomplete' && code === 'budget_exceeded'))
    return failed(code, stage.text(live, message))
  live.isBeyond = true
  return failed('backend', `the recording contains no reply for round ${live.rounds + 1} of this session`)
}
