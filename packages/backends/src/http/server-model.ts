import type { Model, ModelRequest, Reply, ReplyFailure, ReplyHooks, Spent } from '@cadre/core'
import type { BackendContext, ModelInfo } from '../backend.ts'
import { pause } from '../pause.ts'
import { StreamedText } from '../streamed-text.ts'
import { withAttemptCount } from '../with-attempt-count.ts'
import { backoff } from './backoff.ts'
import type { Endpoint } from './endpoint.ts'
import { sendAndReadReply, type Transport } from './exchange.ts'
import { findKey } from './key.ts'
import type { BodyReader } from './read-reply.ts'
import type { ServerApi } from './server-api.ts'
import {
  connectionFailure,
  emptyReplyFailure,
  invalidReplyFailure,
  reportedFailure,
  type ServerFailure,
  type ServerFailureContext,
  silentServerFailure,
  statusFailure,
  unlimitedReplyFailure,
  webPageFailure,
} from './server-failure.ts'
import { isWebPage } from './web-page.ts'

const interrupted: ReplyFailure = {
  kind: 'failed',
  code: 'cancelled',
  message: 'the request was cancelled.',
}
/** Before anything was sent. */
const cancelled: ReplyFailure = { ...interrupted, spent: 'nothing' }

/** Only the title of a web page matters. */
const maxPageLength = 16 * 1024

type AttemptResult =
  | Reply
  | ServerFailure
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'again'; readonly spent: Spent | undefined }

export interface ServerModelOptions<Quirks extends object> {
  /** `backend:name`. */
  readonly id: string
  /** The server's name for the model. */
  readonly name: string
  readonly endpoint: Endpoint
  readonly transport: Transport
  readonly api: ServerApi<Quirks>
  readonly context: BackendContext
  readonly facts: ModelInfo
}

/**
 * One model of an endpoint. A failed attempt is repeated as a whole, even in the middle of a stream, because none of it
 * was recorded. Text is still streamed only once: repeated text is skipped, and if a later attempt differs, nothing more is
 * streamed. The reply contains the whole text of the successful attempt.
 */
export function serverModel<Quirks extends object>(options: ServerModelOptions<Quirks>): Model {
  const { id, name, endpoint, transport, api, facts } = options
  const { config, random } = options.context
  const settings = config[endpoint.kind.section]
  const tries = settings?.tries ?? 5
  const idleTimeout = settings?.idleTimeout ?? 120_000
  const target = endpoint.target(name, api.path)
  const { clock } = transport
  let quirks = api.noQuirks
  let sent: { readonly key: string | undefined; readonly headers: Record<string, string> } | undefined
  return { id, ...facts, capsReplies: true, reply }

  async function reply(
    request: ModelRequest,
    hooks: ReplyHooks,
    signal: AbortSignal,
  ): Promise<Reply | ReplyFailure> {
    const question = new Question<Quirks>(request, hooks)
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
      if (failed >= tried.tries) return withSpent(withAttemptCount(tried.failure, failed), tried.spent)
      const wait = backoff(failed, random, tried.after)
      hooks.delayed?.(tried.failure.message, wait)
      if (!(await pause(clock, wait, signal))) return withSpent(interrupted, tried.spent)
      if (!(await question.mayGoAgain(tried.spent))) return interrupted
    }
  }

  async function ask(
    question: Question<Quirks>,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    if (sent === undefined || sent.key !== key) sent = { key, headers: endpoint.headers(key) }
    const now = question.quirks ?? quirks
    question.text.begin()
    const hide = (text: string) => endpoint.hide(text, key)
    const reader = api.reader((delta) => question.text.tell(hide(delta)), hide)
    let page: string | undefined
    let isStarted = false
    const ended = await sendAndReadReply(
      transport,
      {
        method: 'POST',
        target,
        headers: sent.headers,
        body: api.body(name, question.request, now),
        idleTimeout,
        push(chunk) {
          if (!isStarted && chunk.trim() !== '') {
            isStarted = true
            if (isWebPage(chunk)) page = ''
          }
          if (page === undefined) return reader.push(chunk)
          page += chunk
          return page.length > maxPageLength
        },
      },
      signal,
    )
    const context: ServerFailureContext = {
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
        return withReportedUsage(silentServerFailure(context), reader)
      case 'broken':
        return ended.isStale && question.staleLeft-- > 0
          ? { kind: 'again', spent: undefined }
          : withReportedUsage(connectionFailure(ended.code, context), reader)
      case 'status': {
        const other = api.adapt(now, ended, question.request)
        if (other === undefined) return statusFailure(ended, context)
        if (!api.acceptsReplyLimit(other)) return unlimitedReplyFailure(ended.text, context)
        question.quirks = other
        return { kind: 'again', spent: ended.status < 500 ? 'nothing' : undefined }
      }
      case 'complete': {
        if (page !== undefined) return webPageFailure(page, context)
        const read = reader.finish()
        if (read.kind === 'empty') return withReportedUsage(emptyReplyFailure(context), reader)
        if (read.kind === 'reported') return withReportedUsage(reportedFailure(read.error, context), reader)
        if (read.kind === 'garbled')
          return withReportedUsage(invalidReplyFailure(read.reason, context), reader)
        // Kept only now, because the success proves that it was the reason.
        if (question.quirks !== undefined) quirks = api.lasting(question.quirks)
        return withoutSecrets(read, hide)
      }
    }
  }
}

/** Adds the usage, if the server reported it before the failure. */
function withReportedUsage(trouble: ServerFailure, { usage }: BodyReader): ServerFailure {
  return usage === undefined ? trouble : { ...trouble, spent: usage }
}

function withSpent(failure: ReplyFailure, spent: Spent | undefined): ReplyFailure {
  return spent === undefined ? failure : { ...failure, spent }
}

/** A server may echo what it was sent; a reply is recorded and shown, and must not contain a key. */
function withoutSecrets(reply: Reply, hide: (text: string) => string): Reply {
  const { content, calls, model, reasoning } = reply
  const hidden = content === null ? null : hide(content)
  const written = JSON.stringify(calls)
  const safe = hide(written)
  // Reasoning is signed or encrypted: it is sent back unchanged, or not at all.
  const isSpoilt = reasoning !== undefined && hide(JSON.stringify(reasoning)) !== JSON.stringify(reasoning)
  const isSame = hidden === content && safe === written && (model === undefined || hide(model) === model)
  if (isSame && !isSpoilt) return reply
  const { reasoning: _, ...rest } = reply
  return {
    ...(isSpoilt ? rest : reply),
    content: hidden,
    calls: JSON.parse(safe) as Reply['calls'],
    ...(model !== undefined && { model: hide(model) }),
  }
}

/** The state of one request across attempts. */
class Question<Quirks> {
  request: ModelRequest
  /** The quirks being tried, because the server rejected the original request. */
  quirks: Quirks | undefined
  mayRenewKey = true
  /** How many kept-alive connections may turn out to be closed before that counts as a failure. */
  staleLeft = 3
  readonly text: StreamedText
  readonly #hooks: ReplyHooks

  constructor(request: ModelRequest, hooks: ReplyHooks) {
    this.request = request
    this.#hooks = hooks
    this.text = new StreamedText(hooks.text)
  }

  /** Each request counts against a budget, and the next reply may have to be shorter. */
  async mayGoAgain(spent: Spent | undefined): Promise<boolean> {
    const { again } = this.#hooks
    // The server did no work, so the next attempt uses the same reservation.
    if (again === undefined || spent === 'nothing') return true
    const next = await again(spent)
    if (next !== undefined) this.request = { ...this.request, maxOutput: next.maxOutput }
    return next !== undefined
  }
}
