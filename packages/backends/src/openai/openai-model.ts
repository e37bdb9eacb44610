import type { Model, ModelRequest, Reply, ReplyFailure, ReplyHooks, Spent } from '@cadre/core'
import type { BackendContext, ModelFacts } from '../backend.ts'
import { counted } from '../counted.ts'
import { pause } from '../pause.ts'
import { ToldText } from '../told-text.ts'
import { adapt, takesLimit } from './adapt.ts'
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
  uncappedTrouble,
} from './trouble.ts'

const interrupted: ReplyFailure = {
  kind: 'failed',
  code: 'cancelled',
  message: 'the request was cancelled.',
}
/** Before anything was sent. */
const cancelled: ReplyFailure = { ...interrupted, spent: 'nothing' }

type Try =
  | Reply
  | Trouble
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'again'; readonly spent: Spent | undefined }

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
  return { id: `openai:${name}`, ...facts, capsReplies: true, reply }

  async function reply(
    request: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<Reply | ReplyFailure> {
    const question = new Question(request, hooks)
    for (let failed = 0; ; ) {
      const found = endpoint.key.known ?? (await findKey(endpoint.key, signal))
      if (found === undefined || signal.aborted) return cancelled
      if (found.kind === 'failed')
        return { kind: 'failed', code: 'backend', message: found.message, spent: 'nothing' }
      const tried = await ask(question, found.key, signal)
      if (tried.kind === 'reply') return tried
      if (tried.kind === 'cancelled') return interrupted
      if (tried.kind === 'again') {
        if (!(await question.mayGoAgain(tried.spent))) return interrupted
        continue
      }
      if (tried.isKeyRefused && question.mayRenewKey && endpoint.key.renew(found.key)) {
        question.mayRenewKey = false
        continue
      }
      failed++
      if (failed >= tried.tries) return withSpent(counted(tried.failure, failed), tried.spent)
      const wait = backoff(failed, random, tried.after)
      hooks.delayed?.(tried.failure.message, wait)
      if (!(await pause(clock, wait, signal))) return withSpent(interrupted, tried.spent)
      if (!(await question.mayGoAgain(tried.spent))) return interrupted
    }
  }

  async function ask(question: Question, key: string | undefined, signal: AbortSignal): Promise<Try> {
    if (sent === undefined || sent.key !== key) sent = { key, headers: endpoint.headers(key) }
    const now = question.quirks ?? quirks
    question.text.begin()
    const hide = (text: string) => endpoint.hide(text, key)
    const reader = new ReplyReader((delta) => question.text.tell(hide(delta)), hide)
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
    const context: TroubleContext = {
      endpoint,
      model: name,
      offersTools: question.request.tools.length > 0,
      key,
      now: clock.now(),
      tries,
      idleTimeout,
    }
    switch (ended.kind) {
      case 'aborted':
        return { kind: 'cancelled' }
      case 'silent':
        return taken(silentTrouble(context), reader)
      case 'broken':
        return ended.isStale && question.staleLeft-- > 0
          ? { kind: 'again', spent: undefined }
          : taken(brokenTrouble(ended.code, context), reader)
      case 'status': {
        const other = adapt(now, ended, question.request.maxOutput)
        if (other === undefined) return statusTrouble(ended, context)
        if (!takesLimit(other)) return uncappedTrouble(ended.text, context)
        question.quirks = other
        return { kind: 'again', spent: ended.status < 500 ? 'nothing' : undefined }
      }
      case 'complete': {
        const read = reader.finish()
        if (read.kind === 'reported') return taken(reportedTrouble(read.error, context), reader)
        if (read.kind === 'garbled') return taken(garbledTrouble(read.reason, context), reader)
        // Kept only now: it was the reason, since without it the answer came.
        if (question.quirks !== undefined) quirks = lasting(question.quirks)
        return withoutSecrets(read, hide)
      }
    }
  }
}

/** Adds the usage, if the server reported it before the failure. */
function taken(trouble: Trouble, { usage }: ReplyReader): Trouble {
  return usage === undefined ? trouble : { ...trouble, spent: usage }
}

function withSpent(failure: ReplyFailure, spent: Spent | undefined): ReplyFailure {
  return spent === undefined ? failure : { ...failure, spent }
}

/** A limit that was too high for one request, because of its length, may fit the next one. */
function lasting({ isPassing, mostOutput, ...rest }: Quirks): Quirks {
  return isPassing || mostOutput === undefined ? rest : { ...rest, mostOutput }
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
  request: ModelRequest
  /** What is tried because the server refused the request as it was. */
  quirks: Quirks | undefined
  mayRenewKey = true
  /** How many kept connections may turn out to be closed before that counts as a failure. */
  staleLeft = 3
  readonly text: ToldText
  readonly #hooks: ReplyHooks

  constructor(request: ModelRequest, hooks: ReplyHooks) {
    this.request = request
    this.#hooks = hooks
    this.text = new ToldText(hooks.text)
  }

  /** Each request counts against a budget, and the reply to the next may have to be shorter. */
  async mayGoAgain(spent: Spent | undefined): Promise<boolean> {
    const { again } = this.#hooks
    // The server did no work, so the next try uses the same reservation.
    if (again === undefined || spent === 'nothing') return true
    const next = await again(spent)
    if (next !== undefined) this.request = { ...this.request, maxOutput: next.maxOutput }
    return next !== undefined
  }
}
