/**
 * An agent program as a model. Owns the conversations of its sessions: one process each.
 *
 * 1. Nothing here runs a tool. A call of the program is always part of a reply.
 * 2. A session has at most one conversation. One that cannot be continued is closed before another starts.
 * 3. If a request did not end with a reply, its conversation is closed, because its state is unknown.
 * 4. Every request ends promptly: with the program's next event, a cancellation, or after `idleTimeout`, `tries` times.
 */

import type { Clock, Model, ModelRequest, Reply, ReplyFailure, ReplyHooks } from '@cadre/core'
import type { ModelInfo } from '../backend.ts'
import { objectOf } from '../json-values.ts'
import { pause } from '../pause.ts'
import { type AttemptResult, cancelled, retryUntilAnswered } from '../retry-until-answered.ts'
import type { StreamedText } from '../streamed-text.ts'
import { AcpConversation, type ConversationOptions } from './acp-conversation.ts'
import { describeUncontrolledActions } from './describe-uncontrolled-actions.ts'
import { failureText, toSentence } from './failure-text.ts'
import type { PeerAnswer } from './json-lines-peer.ts'
import { authenticationRequired } from './open-acp-session.ts'
import type { TurnEvent } from './turn-event.ts'
import { readQuota, readUsage } from './updates.ts'
import { watchSilence } from './watch-silence.ts'

export interface AcpModelOptions extends ConversationOptions {
  /** With the prefix. */
  readonly id: string
  readonly facts: ModelInfo
  readonly clock: Clock
  /** After this time without an event, the program counts as hung, in milliseconds. */
  readonly idleTimeout: number
  readonly tries: number
}

export interface AcpModel extends Model {
  /** Ends all programs. */
  end(): Promise<void>
}

/** How long a program may take to start, in milliseconds. The first start can unpack files. */
const startTimeout = 120_000
/** Programs send the calls in one reply one by one. Those that arrive within this time run in parallel. */
const gatherMs = 30

export function acpModel(options: AcpModelOptions): AcpModel {
  const { id, facts, clock, idleTimeout, tries, found } = options
  const { program } = found
  const conversations = new Map<string, AcpConversation>()
  /** Conversations that are being closed. */
  const ending = new Set<Promise<void>>()
  /** The notices of each session. */
  const noticed = new Map<string, Set<string>>()
  return { id, ...facts, reply, release, end }

  function reply(given: ModelRequest, hooks: ReplyHooks, signal: AbortSignal): Promise<Reply | ReplyFailure> {
    // Copied, because the session keeps adding to its messages.
    const request = { ...given, messages: [...given.messages] }
    const open = describeUncontrolledActions(program, options.withoutSandbox)
    // The report of an entry session has the model's warning.
    if (request.parent !== undefined && open !== undefined)
      tellOnce(request.session, hooks, 'acp_uncontrolled', open)
    return retryUntilAnswered(
      (text) => ask(request, text, hooks, signal),
      tries,
      hooks,
      ({ message }) =>
        tellOnce(
          request.session,
          hooks,
          'acp_restarted',
          `${message} Cadre is starting ${program.title} again.`,
        ),
    )
  }

  function tellOnce(session: string, hooks: ReplyHooks, code: string, message: string): void {
    const told = noticed.get(session) ?? new Set()
    noticed.set(session, told)
    if (!told.has(message)) hooks.notice?.(code, message)
    told.add(message)
  }

  function release(session: string): void {
    noticed.delete(session)
    drop(session)
  }

  async function end(): Promise<void> {
    for (const key of [...conversations.keys()]) drop(key)
    await Promise.all(ending)
  }

  function drop(key: string): void {
    const over = conversations
      .get(key)
      ?.end()
      .finally(() => ending.delete(over as Promise<void>))
    if (over !== undefined) ending.add(over)
    conversations.delete(key)
  }

  async function ask(
    request: ModelRequest,
    text: StreamedText,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    if (signal.aborted) return { ...cancelled, spent: 'nothing' }
    // A summary is a separate request without tools, and does not change the conversation of its session.
    const isAside = request.purpose !== undefined
    const key = isAside ? `${request.session} ${request.purpose}` : request.session
    // Neither the program nor the clock keeps this process alive, but a caller is waiting for this reply.
    const awake = setInterval(() => {}, 2 ** 31 - 1)
    try {
      const outcome = await converse(isAside ? { ...request, tools: [] } : request, key, text, hooks, signal)
      if (outcome.kind !== 'reply' || isAside) drop(key)
      return outcome
    } finally {
      clearInterval(awake)
    }
  }

  async function converse(
    request: ModelRequest,
    key: string,
    text: StreamedText,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const kept = conversations.get(key)
    const next = kept?.continues(request)
    let conversation = kept
    if (kept !== undefined && next !== undefined) kept.answer(next)
    else {
      drop(key)
      const started = await start(request, hooks, signal)
      if ('kind' in started) return started
      conversation = started
      conversations.set(key, started)
      started.begin(request.messages)
    }
    const active = conversation as AcpConversation
    active.listen({
      text: (delta) => text.tell(delta),
      notice: (code, message) => hooks.notice?.(code, options.secrets.hide(message)),
    })
    const stopWatching = watchSilence({
      clock,
      lastEventAt: () => active.lastEventAt,
      tell: (seconds) => tellSilence(hooks, seconds),
    })
    const event = await nextEvent(active, signal).finally(stopWatching)
    if (event.kind === 'called') await pause(clock, gatherMs, signal)
    active.listen(undefined)
    return outcomeOf(event, active, request)
  }

  function tellSilence(hooks: ReplyHooks, seconds: number): void {
    hooks.delayed?.(`Waiting for ${program.title}, which has sent nothing for ${seconds} s…`)
  }

  async function start(
    request: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<AcpConversation | AttemptResult> {
    const stopper = new AbortController()
    const stop = () => stopper.abort()
    let isLate = false
    const cancelTimer = clock.after(startTimeout, () => {
      isLate = true
      stop()
    })
    signal.addEventListener('abort', stop)
    const startedAt = clock.now()
    const stopWatching = watchSilence({
      clock,
      lastEventAt: () => startedAt,
      tell: (seconds) => hooks.delayed?.(`Waiting for ${program.title} to start (${seconds} s)…`),
    })
    const started = await AcpConversation.start(options, request, stopper.signal)
    stopWatching()
    cancelTimer()
    signal.removeEventListener('abort', stop)
    if (signal.aborted) {
      if (started.kind === 'started') started.conversation.close()
      return { ...cancelled, spent: 'nothing' }
    }
    if (started.kind === 'started') return started.conversation
    const failure = failed(
      isLate ? `${program.title} did not start within ${startTimeout / 1000} seconds.` : started.message,
    )
    return started.isTransient && !isLate ? { kind: 'again', failure } : { ...failure, spent: 'nothing' }
  }

  function outcomeOf(event: Waited, conversation: AcpConversation, request: ModelRequest): AttemptResult {
    switch (event.kind) {
      case 'called': {
        const calls = conversation.takeCalls()
        // It gave all of them up while Cadre waited for more.
        if (calls.length === 0) return failed(`${program.title} cancelled its own call.`)
        return given({ kind: 'reply', content: conversation.takeText(), calls })
      }
      case 'answered':
        return ended(event.answer)
      case 'lost':
        return { kind: 'again', failure: failed(event.message) }
      case 'stopped':
        return failed(event.message)
      case 'silent':
        return {
          kind: 'failed',
          code: 'timeout',
          message: `${program.title} did not respond for ${idleTimeout / 1000} seconds.`,
        }
      case 'aborted':
        return cancelled
    }

    function given(answer: Reply): Reply {
      conversation.given(request.messages, answer)
      return answer
    }

    function ended(answer: PeerAnswer): AttemptResult {
      if (answer.kind !== 'answer') return refused(answer, conversation.lastPiece)
      const { stopReason, usage, _meta } = objectOf(answer.value)
      const spent = readUsage(usage) ?? readQuota(_meta)
      const content = conversation.takeText()
      const reason = program.failureIn?.(conversation.lastPiece)
      if (reason !== undefined)
        return { ...failed(failureText(program, oneLine(reason))), ...(spent && { spent }) }
      if (stopReason === 'cancelled') {
        // A new conversation has the denied call and the reason, so that the model can do something else.
        const failure = failed(`${program.title} ended its turn after a denied action.`)
        return conversation.wasDenied
          ? { kind: 'again', failure }
          : failed(`${program.title} cancelled its turn.`)
      }
      if (!conversation.hasTools) {
        const failure = failed(
          `${program.title} did not load Cadre's tools, so its model had to answer without them.`,
        )
        return { kind: 'again', failure: { ...failure, ...(spent && { spent }) } }
      }
      const stop = stopReason === 'max_tokens' ? 'length' : stopReason === 'refusal' ? 'filtered' : undefined
      return given({
        kind: 'reply',
        content,
        calls: [],
        ...(spent && { usage: spent }),
        ...(stop && { stop }),
      })
    }
  }

  /** Some programs write the reason as text. */
  function refused(answer: Exclude<PeerAnswer, { kind: 'answer' }>, said: string): ReplyFailure {
    if (answer.kind === 'gone') return failed(`${program.title} has exited.`)
    const why = [answer.message, oneLine(said)].filter((text) => text !== '').join(': ')
    if (answer.code !== authenticationRequired) return failed(failureText(program, why))
    const how = program.signIn === undefined ? '' : ` ${program.signIn}`
    return { ...failed(`${program.title} is not signed in: ${toSentence(why)}${how}`), rejectsKey: true }
  }

  function failed(message: string): ReplyFailure {
    return { kind: 'failed', code: 'backend', message: options.secrets.hide(message) }
  }

  /** Waits until the program does something, the request is aborted, or the program has been silent for too long. */
  function nextEvent(conversation: AcpConversation, signal: AbortSignal): Promise<Waited> {
    return new Promise((resolve) => {
      let cancelTimer = () => {}
      const finish = (event: Waited) => {
        cancelTimer()
        signal.removeEventListener('abort', abort)
        conversation.onEvent(() => {})
        resolve(event)
      }
      const abort = () => finish({ kind: 'aborted' })
      const look = () => {
        const event = conversation.next()
        if (event !== undefined) finish(event)
      }
      const watch = () => {
        const quiet = clock.now() - conversation.lastEventAt
        if (quiet < idleTimeout) cancelTimer = clock.after(idleTimeout - quiet, watch)
        else finish({ kind: 'silent' })
      }
      if (signal.aborted) return abort()
      signal.addEventListener('abort', abort)
      conversation.onEvent(look)
      watch()
      look()
    })
  }
}

type Waited = TurnEvent | { readonly kind: 'silent' } | { readonly kind: 'aborted' }

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 500 ? `${line.slice(0, 500)}…` : line
}
