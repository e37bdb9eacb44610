/**
 * A model behind the language server, whose loop is inverted: when the server calls a tool, `reply` returns that call, and
 * the server waits until the next `reply` provides the result.
 *
 * 1. Nothing here runs a tool. A call is always part of a reply.
 * 2. Every reply ends in bounded time: with the server's next event, a cancellation, or after `idleTimeout`, `tries` times.
 * 3. A conversation belongs to one session. If its messages do not continue it, a new one starts from all of them.
 */

import type { Clock, Model, ModelRequest, Reply, ReplyFailure, ReplyHooks, Usage } from '@cadre/core'
import type { ChatMode } from '../models-config.ts'
import { type AttemptResult, cancelled, retryUntilAnswered } from '../retry-until-answered.ts'
import type { StreamedText } from '../streamed-text.ts'
import { type LsContinuation, LsConversation } from './ls-conversation.ts'
import type { LsTurn } from './ls-turn.ts'
import { nextTurnSignal, respondsToPing, type TurnSignal } from './next-turn-signal.ts'
import type { ServerNotices } from './server-notices.ts'
import type { PoolFailure, ServerPool } from './server-pool.ts'
import type { ToolServer } from './tool-server.ts'
import { toolSetOf } from './tool-set.ts'
import { historyOf } from './transcript.ts'
import { failureFromSignal } from './turn-failure.ts'
import type { ToolInvocation } from './wire-types.ts'

/** Shared by all models of the backend. */
export interface SharedModelParts {
  readonly pool: ServerPool<ToolServer>
  readonly board: ServerNotices
  readonly clock: Clock
  readonly conversations: Map<string, LsConversation>
  readonly idleTimeout: number
  readonly tries: number
  /** Models also get `run_subagent`. */
  readonly subagents: boolean
}

export interface CopilotLsModelOptions {
  readonly name: string
  readonly id: string
  readonly mode: ChatMode
  readonly facts: Pick<Model, 'window' | 'maxOutput' | 'price'>
  readonly canSee: boolean
  /** The premium requests per turn, if known. */
  readonly multiplier?: number
}

const maxDelay = 2 ** 31 - 1

export function copilotLsModel(options: CopilotLsModelOptions, shared: SharedModelParts): Model {
  const { pool, board, clock, conversations, idleTimeout, tries } = shared
  const { name, mode, canSee, multiplier } = options
  return { id: options.id, ...options.facts, reply, release }

  async function reply(
    given: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<Reply | ReplyFailure> {
    // Copied, because the session keeps adding to its messages.
    const request = { ...given, messages: [...given.messages] }
    pool.note(request.session, request.parent)
    const stopListening = board.listen((code, message) => hooks.notice?.(code, message))
    // A server does not keep the process alive, but a caller is waiting for this reply.
    const alive = setInterval(() => {}, maxDelay)
    try {
      const ask = (text: StreamedText) =>
        request.purpose === 'summary' ? askAside(request, signal) : converse(request, text, hooks, signal)
      return await retryUntilAnswered(ask, tries, hooks, ({ message }) => hooks.delayed?.(message, 0))
    } finally {
      clearInterval(alive)
      stopListening()
    }
  }

  async function converse(
    request: ModelRequest,
    text: StreamedText,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    if (signal.aborted) return { ...cancelled, spent: 'nothing' }
    const begun = await proceed(request, signal)
    if ('kind' in begun) return begun
    const { conversation, premium } = begun
    const { turn, server } = conversation
    turn.tell = (delta) => text.tell(delta)
    turn.warn = (message) => hooks.notice?.('copilot_warning', message)
    const sign = await nextTurnSignal(turn, signal, clock, idleTimeout)
    turn.tell = undefined
    turn.warn = undefined
    if (sign.kind === 'called') {
      const content = turn.reader.takeText()
      conversation.replied(request.messages, content, sign.call)
      return replyOf(content, [wireCall(server, sign.call)], usageOf(turn, premium))
    }
    if (
      sign.kind === 'over' &&
      turn.reader.end?.error === undefined &&
      turn.reader.end?.isCancelled !== true
    ) {
      const content = turn.reader.takeText()
      conversation.replied(request.messages, content, undefined)
      return {
        ...replyOf(content, [], usageOf(turn, premium)),
        ...(sign.answer.modelName && { model: sign.answer.modelName }),
      }
    }
    drop(request.session)
    return endOf(sign, turn, server, premium)
  }

  /** Continues the session's conversation, or starts a new one. */
  async function proceed(
    request: ModelRequest,
    signal: AbortSignal,
  ): Promise<{ conversation: LsConversation; premium: boolean } | AttemptResult> {
    const existing = conversations.get(request.session)
    const next = existing?.continuation(options.id, request, canSee)
    if (existing !== undefined && next !== undefined && continueConversation(existing, next, request))
      return { conversation: existing, premium: next.kind === 'turn' }
    drop(request.session)
    const begun = await pool.begin(
      toolSetOf(request.tools, shared.subagents),
      request.session,
      (server) => {
        const turns = historyOf(request.system, request.messages, canSee)
        const turn = server.begin('conversation/create', request.session, { ...parameters(), turns })
        return new LsConversation(server, turn, options.id, request)
      },
      signal,
    )
    if (begun.kind === 'cancelled') return { ...cancelled, spent: 'nothing' }
    if (begun.kind === 'failed') return startFailure(begun)
    conversations.set(request.session, begun.value)
    return { conversation: begun.value, premium: true }
  }

  function continueConversation(
    conversation: LsConversation,
    next: LsContinuation,
    { session }: ModelRequest,
  ): boolean {
    const { turn, server, id } = conversation
    if (next.kind === 'result') return turn.give(next.call.toolCallId, next.text)
    if (id === undefined) return false
    conversation.turn = server.begin('conversation/turn', session, {
      ...parameters(),
      conversationId: id,
      message: next.message,
    })
    return true
  }

  /** A request outside the session's conversation, without tools: any process can answer it. */
  async function askAside(request: ModelRequest, signal: AbortSignal): Promise<AttemptResult> {
    const begun = await pool.ask(async (server) => {
      const turns = historyOf(request.system, request.messages, canSee)
      const turn = server.begin('conversation/create', request.session, { ...parameters(), turns })
      for (let calls = 0; ; calls++) {
        const sign = await nextTurnSignal(turn, signal, clock, idleTimeout)
        if (sign.kind === 'called' && calls < 3) {
          turn.give(sign.call.toolCallId, 'Tools are not available for this request. Reply with text.')
          continue
        }
        const content = turn.reader.takeText()
        const isAnswered = sign.kind === 'over' && turn.reader.end?.error === undefined
        const { conversationId } = turn
        if (!turn.isOver) server.cancel(turn)
        else if (conversationId !== undefined) server.destroy(conversationId)
        return isAnswered ? replyOf(content, [], usageOf(turn, true)) : endOf(sign, turn, server, true)
      }
    }, signal)
    if (begun.kind === 'begun') return begun.value
    return begun.kind === 'cancelled' ? cancelled : startFailure(begun)
  }

  /** Handles a turn that ended without a reply. */
  async function endOf(
    sign: TurnSignal,
    turn: LsTurn,
    server: ToolServer,
    premium: boolean,
  ): Promise<AttemptResult> {
    // Either the model or the whole server hangs. Other sessions use the server too, so it is killed only if it hangs
    // itself.
    if (sign.kind === 'silent' && !(await respondsToPing(server, clock))) server.process.kill()
    const trouble = failureFromSignal(sign, turn.reader.end, { id: options.id, name, idleTimeout })
    if (trouble.kind === 'cut')
      return { ...replyOf(turn.reader.takeText(), [], usageOf(turn, premium)), stop: trouble.stop }
    return trouble.kind === 'again' ? trouble : trouble.failure
  }

  function usageOf(turn: LsTurn, premium: boolean): Usage | undefined {
    const usage = turn.reader.takeUsage()
    if (!premium || multiplier === undefined) return usage
    return { ...(usage ?? { input: 0, output: 0 }), premium: multiplier }
  }

  function parameters() {
    return {
      capabilities: { skills: [], allSkills: false },
      source: 'panel',
      chatMode: mode,
      modelInfo: { id: name },
      computeSuggestions: false,
      needToolCallConfirmation: false,
    }
  }

  function release(session: string): void {
    drop(session)
    pool.forget(session)
  }

  /** Ends the session's conversation. */
  function drop(session: string): void {
    const conversation = conversations.get(session)
    if (conversation === undefined) return
    conversations.delete(session)
    const { server, turn, id } = conversation
    if (!turn.isOver) server.cancel(turn)
    else if (id !== undefined) server.destroy(id)
  }
}

function wireCall({ tools }: ToolServer, { toolCallId, name, input }: ToolInvocation) {
  const written = JSON.stringify(input ?? {})
  return {
    id: toolCallId,
    type: 'function' as const,
    function: { name: tools?.names.get(name) ?? name, arguments: written },
  }
}

function replyOf(content: string | null, calls: Reply['calls'], usage: Usage | undefined): Reply {
  return { kind: 'reply', content, calls, ...(usage && { usage }) }
}

function startFailure({ message, isTransient }: PoolFailure): AttemptResult {
  const failure: ReplyFailure = { kind: 'failed', code: 'backend', message, spent: 'nothing' }
  return isTransient === true ? { kind: 'again', failure } : failure
}
