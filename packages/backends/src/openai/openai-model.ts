import type { Model, ModelRequest, Reply, ReplyFailure, ReplyHooks } from '@cadre/core'
import type { BackendContext, ModelFacts } from '../backend.ts'
import { pause } from '../pause.ts'
import { adapt } from './adapt.ts'
import { backoff } from './backoff.ts'
import type { Endpoint } from './endpoint.ts'
import { exchange, type Transport } from './exchange.ts'
import { findKey } from './key.ts'
import { ReplyReader } from './reply-reader.ts'
import { type Quirks, requestBody } from './request-body.ts'
import {
  brokenTrouble,
  garbledTrouble,
  reportedTrouble,
  silentTrouble,
  statusTrouble,
  type Trouble,
  type TroubleContext,
} from './trouble.ts'

const cancelled: ReplyFailure = { kind: 'failed', code: 'cancelled', message: 'The question was cancelled.' }

type Try = Reply | Trouble | { readonly kind: 'cancelled' } | { readonly kind: 'again' }

/**
 * One model of an endpoint. A try that breaks is made again as a whole, also in the middle of a stream: nothing of it was
 * recorded. Text is told only once all the same: what a later try repeats is left out, and where it says something else
 * nothing more is told. The reply holds the whole text of the try that succeeded.
 */
export function openAiModel(
  name: string,
  endpoint: Endpoint,
  transport: Transport,
  { config, random }: BackendContext,
  facts: ModelFacts,
): Model {
  const tries = config.openai?.tries ?? 5
  const idleTimeout = config.openai?.idleTimeout ?? 120_000
  const target = endpoint.target(name, '/chat/completions')
  const { clock } = transport
  let quirks: Quirks = {}
  let sent: { readonly key: string | undefined; readonly headers: Record<string, string> } | undefined
  return { id: `openai:${name}`, ...facts, reply }

  async function reply(
    request: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<Reply | ReplyFailure> {
    const question = new Question(request, hooks)
    for (let failed = 0; ; ) {
      const found = endpoint.key.known ?? (await findKey(endpoint.key, signal))
      if (found === undefined || signal.aborted) return cancelled
      if (found.kind === 'failed') return { kind: 'failed', code: 'backend', message: found.message }
      const tried = await ask(question, found.key, signal)
      if (tried.kind === 'reply') return tried
      if (tried.kind === 'cancelled') return cancelled
      if (tried.kind === 'again') continue
      if (tried.isKeyRefused && question.mayRenewKey && endpoint.key.renew(found.key)) {
        question.mayRenewKey = false
        continue
      }
      failed++
      if (failed >= tried.tries) return counted(tried.failure, failed)
      const wait = backoff(failed, random, tried.after)
      hooks.delayed?.(tried.failure.message, wait)
      if (!(await pause(clock, wait, signal))) return cancelled
    }
  }

  async function ask(question: Question, key: string | undefined, signal: AbortSignal): Promise<Try> {
    if (sent === undefined || sent.key !== key) sent = { key, headers: endpoint.headers(key) }
    const now = question.quirks ?? quirks
    question.begin()
    const hide = (text: string) => endpoint.hide(text, key)
    const reader = new ReplyReader((delta) => question.tell(hide(delta)), hide)
    const ended = await exchange(
      transport,
      {
        method: 'POST',
        target,
        headers: sent.headers,
        body: requestBody(name, question.request, now),
        idleTimeout,
        push: (chunk) => reader.push(chunk),
      },
      signal,
    )
    const context: TroubleContext = { endpoint, model: name, key, now: clock.now(), tries, idleTimeout }
    switch (ended.kind) {
      case 'aborted':
        return { kind: 'cancelled' }
      case 'silent':
        return silentTrouble(context)
      case 'broken':
        return ended.isStale && question.staleLeft-- > 0
          ? { kind: 'again' }
          : brokenTrouble(ended.code, context)
      case 'status': {
        const other = adapt(now, ended, question.request.maxOutput)
        if (other === undefined) return statusTrouble(ended, context)
        question.quirks = other
        return { kind: 'again' }
      }
      case 'complete': {
        const read = reader.finish()
        if (read.kind === 'reported') return reportedTrouble(read.error, context)
        if (read.kind === 'garbled') return garbledTrouble(read.reason, context)
        // Kept only now: it was the reason, since without it the answer came.
        if (question.quirks !== undefined) quirks = question.quirks
        return withoutSecrets(read, hide)
      }
    }
  }
}

/** A server may say back what it was sent; a reply is written down and shown, and a key must be neither. */
function withoutSecrets(reply: Reply, hide: (text: string) => string): Reply {
  const { content, calls, model } = reply
  const hidden = content === null ? null : hide(content)
  const written = JSON.stringify(calls)
  const safe = hide(written)
  if (hidden === content && safe === written && (model === undefined || hide(model) === model)) return reply
  return {
    ...reply,
    content: hidden,
    calls: JSON.parse(safe) as Reply['calls'],
    ...(model !== undefined && { model: hide(model) }),
  }
}

/** What one question remembers from try to try. */
class Question {
  readonly request: ModelRequest
  /** What is tried because the server refused the request as it was. */
  quirks: Quirks | undefined
  mayRenewKey = true
  /** How many kept connections may turn out to be closed before that counts as a failure. */
  staleLeft = 3
  readonly #hooks: ReplyHooks
  #told = ''
  /** How much of what was told this try has said again; beyond it, if it says something else. */
  #place = 0

  constructor(request: ModelRequest, hooks: ReplyHooks) {
    this.request = request
    this.#hooks = hooks
  }

  begin(): void {
    this.#place = 0
  }

  tell(delta: string): void {
    if (this.#place > this.#told.length) return
    const known =
      this.#place === this.#told.length ? '' : this.#told.slice(this.#place, this.#place + delta.length)
    if (!delta.startsWith(known)) {
      this.#place = Number.POSITIVE_INFINITY
      return
    }
    this.#place += delta.length
    if (known.length === delta.length) return
    const news = known === '' ? delta : delta.slice(known.length)
    this.#told += news
    this.#hooks.text(news)
  }
}

function counted(failure: ReplyFailure, tries: number): ReplyFailure {
  return tries === 1 ? failure : { ...failure, message: `${failure.message} Asked ${tries} times.` }
}
