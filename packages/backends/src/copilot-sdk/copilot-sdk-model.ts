/**
 * One model of the Copilot runtime. Owns the conversations of its sessions.
 *
 * 1. A session has at most one conversation. One that cannot be continued is closed before another starts.
 * 2. If a request did not end with a reply, its conversation is closed, because its state is unknown.
 * 3. A request ends promptly if it is aborted, or if the runtime exits or hangs.
 * 4. A request is tried at most `tries` times, and repeated only if the runtime exited. Its text is streamed once.
 */

import type { Clock, Model, ModelRequest, Reply, ReplyFailure, ReplyHooks } from '@cadre/core'
import type { ModelInfo } from '../backend.ts'
import { backendFailure } from '../backend-failure.ts'
import { type AttemptResult, cancelled, retryUntilAnswered } from '../retry-until-answered.ts'
import type { StreamedText } from '../streamed-text.ts'
import type { ModelAccess } from './access.ts'
import type { Round } from './round-reader.ts'
import type { CopilotRuntime } from './runtime.ts'
import type { RuntimeHost } from './runtime-host.ts'
import { SdkConversation, wireCalls } from './sdk-conversation.ts'
import { failureOf, hideSecret, hideSecrets, rejectedRequestFailure } from './sdk-failure.ts'
import type { SdkSessionSetup } from './session-config.ts'

/** How long the runtime may take to answer a ping. */
const pingTimeout = 10_000

/**
 * For a model of unknown size. The runtime would shorten the conversation at an assumed size; the loop does it when the
 * server rejects a request.
 */
const unlimited = 1_000_000

export interface CopilotSdkModelOptions {
  readonly name: string
  readonly facts: ModelInfo
  readonly multiplier?: number | undefined
  readonly subagents: boolean
  readonly access: ModelAccess
  readonly host: RuntimeHost
  readonly clock: Clock
  /** After this time without an event, a request counts as hung, in milliseconds. */
  readonly idleTimeout: number
  /** The maximum number of attempts per request. */
  readonly tries: number
}

const lostFailure: AttemptResult = {
  kind: 'again',
  failure: backendFailure('the Copilot runtime exited during a reply.'),
}

interface KeptConversation {
  readonly conversation: SdkConversation
  /** Releases the runtime. */
  readonly leave: () => void
}

export function copilotSdkModel(options: CopilotSdkModelOptions): Model {
  const { name, facts, multiplier, subagents, access, host, clock, idleTimeout, tries } = options
  const id = `copilot-sdk:${name}`
  const conversations = new Map<string, KeptConversation>()
  return { id, ...facts, reply, release }

  function reply(
    request: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<Reply | ReplyFailure> {
    return retryUntilAnswered(
      (text) => ask(request, text, hooks, signal),
      tries,
      hooks,
      () =>
        hooks.notice?.(
          'copilot_runtime_restarted',
          'the Copilot runtime exited during a reply. Cadre is restarting it and retrying.',
        ),
    )
  }

  function release(session: string): void {
    const kept = conversations.get(session)
    conversations.delete(session)
    kept?.conversation.close()
    kept?.leave()
  }

  async function ask(
    request: ModelRequest,
    text: StreamedText,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    if (signal.aborted) return { ...cancelled, spent: 'nothing' }
    // A summary is a separate request, and does not change the conversation of its session.
    const key = request.purpose === undefined ? request.session : `${request.session} ${request.purpose}`
    const outcome = await attend(request, key, text, hooks, signal)
    if (outcome.kind !== 'reply' || request.purpose !== undefined) release(key)
    return outcome
  }

  function attend(
    request: ModelRequest,
    key: string,
    text: StreamedText,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    return new Promise((resolve) => {
      let runtime: CopilotRuntime | undefined
      let isOver = false
      let events = 0
      let stopClock = () => {}
      let stopWatching = () => {}
      // Neither the clock nor the runtime keeps this process alive, but a caller is waiting for this reply.
      const awake = setInterval(() => {}, 2 ** 31 - 1)
      const stop = () => end(cancelled)
      signal.addEventListener('abort', stop)
      alive()
      void work().catch(rejected).then(end)

      async function work(): Promise<AttemptResult> {
        const conversation = await conversationFor(request, key, signal, (found) => {
          runtime = found
          stopWatching = found.whenEnded(() => end(lostFailure))
        })
        if ('kind' in conversation) return conversation
        if (isOver) {
          if (conversations.get(key)?.conversation === conversation) release(key)
          return cancelled
        }
        const round = await conversation.ask(request.messages, conversation.continues(request), {
          text: (delta) => !isOver && text.tell(hideSecret(delta, secret())),
          notice: (code, message) => hooks.notice?.(code, hideSecrets(message, secret())),
          alive,
        })
        if (round.kind === 'failed') return failed(round)
        const answer = replyOf(round)
        conversation.given(request.messages, answer)
        return answer
      }

      /** The connection may be closed before the exit of the runtime is known. */
      async function rejected(error: unknown): Promise<AttemptResult> {
        if (runtime === undefined || (await runtime.answers(clock, pingTimeout)))
          return safe(rejectedRequestFailure(error, id))
        runtime.end()
        return lostFailure
      }

      function alive(): void {
        events++
        stopClock()
        if (!isOver) stopClock = clock.after(idleTimeout, () => void onSilence())
      }

      async function onSilence(): Promise<void> {
        const before = events
        const isThere = await runtime?.answers(clock, pingTimeout)
        if (events !== before) return
        if (isThere === false) runtime?.end()
        else
          end({
            kind: 'failed',
            code: 'timeout',
            message: `${id} did not respond for ${idleTimeout / 1000} seconds.`,
          })
      }

      function end(outcome: AttemptResult): void {
        if (isOver) return
        isOver = true
        clearInterval(awake)
        stopClock()
        stopWatching()
        signal.removeEventListener('abort', stop)
        resolve(outcome)
      }
    })
  }

  async function conversationFor(
    request: ModelRequest,
    key: string,
    signal: AbortSignal,
    found: (runtime: CopilotRuntime) => void,
  ): Promise<SdkConversation | ReplyFailure> {
    const kept = conversations.get(key)?.conversation
    if (kept?.continues(request) !== undefined) {
      found(kept.runtime)
      return kept
    }
    release(key)
    const setup = await setupFor(signal)
    if ('kind' in setup) return setup
    const leave = host.hold()
    try {
      const runtime = await host.get()
      found(runtime)
      const conversation = new SdkConversation(runtime, setup, request)
      if (signal.aborted) return cancelled
      conversations.set(key, { conversation, leave })
      return conversation
    } finally {
      if (conversations.get(key)?.leave !== leave) leave()
    }
  }

  async function setupFor(signal: AbortSignal): Promise<SdkSessionSetup | ReplyFailure> {
    if (access.kind === 'account') return { model: name, multiplier, subagents, provider: undefined }
    const provider = await access.provider(name, signal)
    if (provider === undefined) return cancelled
    if (provider.kind === 'failed') return backendFailure(provider.message)
    const limits = {
      maxPromptTokens: facts.window ?? unlimited,
      ...(facts.maxOutput && { maxOutputTokens: facts.maxOutput }),
    }
    return { model: name, multiplier, subagents, provider: { ...provider.provider, ...limits } }
  }

  function replyOf({ text, calls, usage, model, stop }: Extract<Round, { kind: 'round' }>): Reply {
    return {
      kind: 'reply',
      content: text === '' ? null : hideSecret(text, secret()),
      calls: wireCalls(calls, (input) => hideSecret(input, secret())),
      ...(usage !== undefined && { usage }),
      ...(model !== undefined && { model }),
      ...(stop !== undefined && { stop }),
    }
  }

  function failed({ error, usage }: Extract<Round, { kind: 'failed' }>): ReplyFailure {
    // A key from a command may have expired: the next conversation runs the command again.
    if (access.kind === 'provider' && error.status === 401) access.endpoint.key.renew(secret())
    const failure = safe(failureOf(error, id, signIn()))
    return usage === undefined ? failure : { ...failure, spent: usage }
  }

  function signIn(): string {
    if (access.kind === 'account')
      return "Check the account's subscription, and COPILOT_GITHUB_TOKEN, GH_TOKEN or GITHUB_TOKEN if one is set."
    return `Check the key for ${access.endpoint.shown}.`
  }

  function safe(failure: ReplyFailure): ReplyFailure {
    return { ...failure, message: hideSecrets(failure.message, secret()) }
  }

  function secret(): string | undefined {
    if (access.kind === 'account') return access.token
    const { known } = access.endpoint.key
    return known?.kind === 'key' ? known.key : undefined
  }
}
