import {
  CadreError,
  type Clock,
  type Model,
  type ModelRequest,
  messageOf,
  type Reply,
  type ReplyFailure,
  type ReplyHooks,
  type WireCall,
} from '@cadre/core'
import type { ModelInfo } from '../backend.ts'
import { backendFailure } from '../backend-failure.ts'
import { pause, systemClock } from '../pause.ts'
import type { CompiledAction, ScriptedReply } from './compile-action.ts'
import type { CompiledPlaybook } from './compile-playbook.ts'
import { findAction } from './find-action.ts'
import { type UnusedStep, unusedSteps } from './leftover-steps.ts'
import { quoteText, RequestView } from './request-view.ts'
import { fillTemplate } from './template.ts'

export interface ScriptedModelOptions {
  readonly id: string
  /** The name reported as the model. */
  readonly name?: string
  readonly facts?: ModelInfo
  readonly clock?: Clock
  /** Called with every request before it is answered. */
  readonly onRequest?: (request: ModelRequest) => void
}

export interface ScriptedModel extends Model {
  /** Unused lines: a test that leaves some has not tested everything it contains. */
  leftovers(): UnusedStep[]
}

/**
 * Plays a playbook. The line depends only on the request, by agent and round, so resumed and parallel sessions each get
 * their own.
 */
export function playScript(playbook: CompiledPlaybook, options: ScriptedModelOptions): ScriptedModel {
  const { id, name, facts = playbook.facts, clock = systemClock, onRequest } = options
  const named = name === undefined ? undefined : { model: name }
  return { id, ...facts, capsReplies: true, reply, leftovers: () => unusedSteps(playbook) }

  async function reply(
    request: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<Reply | ReplyFailure> {
    if (signal.aborted) return cancelled
    onRequest?.(request)
    const asked = new RequestView(request)
    if (request.purpose === 'summary')
      return truncateReply(
        { kind: 'reply', content: fillTemplate(playbook.summary, asked), calls: [], ...named },
        request,
      )
    const action = actionFor(playbook, asked)
    if (action.kind === 'failed') return action
    const { body, expect, wait, where } = action.action
    const unmet = expect?.(asked)
    if (unmet !== undefined)
      return backendFailure(
        `${where}: ${describeSession(request)} expected ${unmet}. The last message was: ${quoteText(asked.last)}.`,
      )
    if (wait > 0 && !(await pause(clock, wait, signal))) return cancelled
    if (body.kind === 'hang') {
      await pause(clock, Infinity, signal)
      return cancelled
    }
    if (body.kind === 'fail') {
      const failure = { kind: 'failed', code: body.code, message: fillTemplate(body.message, asked) } as const
      return body.tooLong ? { ...failure, tooLong: true } : failure
    }
    const content = body.content === undefined ? null : fillTemplate(body.content, asked) || null
    const calls = makeCalls(body, asked)
    if (asked.missing !== undefined)
      return backendFailure(
        `${where}: ${describeSession(request)} uses {{${asked.missing}}}, which has no value.`,
      )
    const whole: Reply = {
      kind: 'reply',
      content,
      calls,
      ...(body.usage && { usage: body.usage }),
      ...(body.stop && { stop: body.stop }),
      ...named,
    }
    const said = truncateReply(whole, request)
    if (said.content !== null && !(await say(said.content, body, hooks, signal))) return cancelled
    return said
  }

  /** Resolves with false if it was aborted. */
  async function say(
    content: string,
    { pieces, every }: ScriptedReply,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const [index, piece] of truncate(content, pieces).entries()) {
      if (every > 0 && index > 0 && !(await pause(clock, every, signal))) return false
      if (signal.aborted) return false
      hooks.text(piece)
    }
    return true
  }
}

function actionFor(
  playbook: CompiledPlaybook,
  asked: RequestView,
): { kind: 'action'; action: CompiledAction } | ReplyFailure {
  try {
    const found = findAction(playbook, asked)
    return typeof found === 'string' ? backendFailure(found) : { kind: 'action', action: found }
  } catch (error) {
    // Only a step that is a function can throw; a model must not.
    return backendFailure(
      error instanceof CadreError
        ? error.message
        : `${describeSession(asked.request)}: the step failed: ${messageOf(error)}`,
    )
  }
}

function makeCalls(body: ScriptedReply, asked: RequestView): WireCall[] {
  const calls: WireCall[] = []
  for (const call of body.calls) {
    for (let time = 0; time < call.repeat; time++) {
      asked.call = calls.length + 1
      calls.push({
        id:
          call.id === undefined ? `call_${asked.request.round}_${asked.call}` : fillTemplate(call.id, asked),
        type: 'function',
        function: { name: call.tool, arguments: fillTemplate(call.arguments, asked) },
      })
    }
  }
  return calls
}

/** Truncates a reply like a server that respects the limit: a longer reply ends there, without its calls. */
function truncateReply(reply: Reply, { maxOutput = Infinity }: ModelRequest): Reply {
  const { content, calls, usage } = reply
  const characters = (content ?? '').length + JSON.stringify(calls).length
  const output = usage?.output ?? Math.ceil(characters / 4)
  if (output <= maxOutput) return reply
  return {
    ...reply,
    content: content === null ? null : content.slice(0, Math.floor((content.length * maxOutput) / output)),
    calls: [],
    stop: 'length',
    ...(usage && { usage: { ...usage, output: maxOutput } }),
  }
}

/** At most `pieces` pieces of similar length; a surrogate pair stays whole. */
function truncate(text: string, pieces: number): string[] {
  if (pieces === 1) return [text]
  const characters = [...text]
  const size = Math.ceil(characters.length / pieces)
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(''),
  )
}

const cancelled: ReplyFailure = { kind: 'failed', code: 'cancelled', message: 'the request was cancelled.' }

function describeSession(request: ModelRequest): string {
  return `round ${request.round} of ${JSON.stringify(request.agent)}`
}
