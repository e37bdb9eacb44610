import { addUsage, type Usage } from '@cadre/core'
import { textOf } from '../json-values.ts'
import { callsIn, MessageCalls, type RoundCall, type ToolOwner } from './message-calls.ts'
import type { SdkEvent } from './sdk-types.ts'

/** The runtime's error for a request that failed permanently. */
export interface RuntimeError {
  readonly type: string
  readonly message: string
  readonly code?: string
  readonly status?: number
}

/** One assistant message with calls, or the end of a turn. */
export type Round =
  | {
      readonly kind: 'round'
      readonly text: string
      /** Empty at the end of a turn. */
      readonly calls: readonly RoundCall[]
      readonly usage?: Usage
      readonly model?: string
      readonly stop?: 'length' | 'filtered'
    }
  | { readonly kind: 'failed'; readonly error: RuntimeError; readonly usage?: Usage }

export interface RoundReaderOptions {
  /** The id of the SDK session: events with another id are from a subagent of the runtime. */
  readonly session: string
  readonly ownerOf: (name: string) => ToolOwner
  /** The premium requests of one user request, if the runtime does not report it. */
  readonly multiplier: number | undefined
  readonly text: (delta: string) => void
  readonly round: (round: Round) => void
  readonly notice: (code: string, message: string) => void
  /** Called if the runtime waits for the result of a call that no message contains, or that two contain. */
  readonly refuse: (request: string) => void
}

interface Segment {
  text: string
  isWhole: boolean
}

type Data = SdkEvent['data']

/** The session's own agent. */
const main = ''

/** Reads the events of one SDK session as rounds. A subagent's message with calls is also a round of the session. */
export class RoundReader {
  readonly #options: RoundReaderOptions
  /** The texts since the last round, by message: a text cut at the length limit has no message of its own. */
  readonly #segments = new Map<string, Segment>()
  readonly #calls = new Map<string, MessageCalls>()
  readonly #subagents = new Map<string, string>()
  readonly #requested = new Set<string>()
  /** Requests for subagents whose message has not arrived yet. */
  #early: Data[] = []
  #usage: Usage | undefined
  #model: string | undefined
  #stop: 'length' | 'filtered' | undefined
  #error: RuntimeError | undefined
  #hasMessage = false

  constructor(options: RoundReaderOptions) {
    this.#options = options
  }

  /** True while the runtime is waiting for the result of a call that the session itself made. */
  get waitsForUs(): boolean {
    return this.#callsOf(main).waitsForUs
  }

  push({ type, agentId = main, data }: SdkEvent): void {
    switch (type) {
      case 'assistant.tool_call_delta':
        this.#callsOf(agentId).write(textOf(data['toolCallId']), textOf(data['inputDelta']))
        break
      case 'assistant.usage':
        this.#count(data)
        if (agentId === main) this.#finishSegments(data)
        break
      case 'assistant.message':
        this.#take(agentId, data)
        break
      case 'external_tool.requested':
        this.#request(data)
        break
      case 'tool.execution_complete':
        this.#callsOf(agentId).answer(textOf(data['toolCallId']))
        this.#tellCalls(agentId)
        break
      case 'subagent.started':
        this.#subagents.set(agentId, textOf(data['agentDisplayName']) || textOf(data['agentName']))
        break
    }
    if (agentId === main) this.#pushMain(type, data)
  }

  #pushMain(type: string, data: Data): void {
    switch (type) {
      case 'assistant.message_delta':
        this.#hear(textOf(data['messageId']), textOf(data['deltaContent']))
        break
      case 'model.call_failure':
        this.#forgetAttempt(data)
        break
      case 'session.error':
        this.#error = errorOf(data)
        break
      case 'session.warning':
        this.#options.notice(`copilot_${textOf(data['warningType'])}`, textOf(data['message']))
        break
      case 'session.idle':
        this.#tellEnd()
    }
  }

  #hear(message: string, delta: string): void {
    const segment = this.#segments.get(message)
    if (segment === undefined) this.#segments.set(message, { text: delta, isWhole: false })
    else segment.text += delta
    this.#options.text(delta)
  }

  #count(data: Data): void {
    const isAsked = data['initiator'] === undefined || data['initiator'] === 'user'
    // Copilot counts a user request, times the model's multiplier. Follow-up requests are free.
    const isPremium = isAsked && data['isByok'] !== true
    const premium = isPremium ? (numberOf(data['cost']) ?? this.#options.multiplier) : undefined
    this.#usage = addUsage(this.#usage ?? { input: 0, output: 0 }, {
      input: numberOf(data['inputTokens']) ?? 0,
      output: numberOf(data['outputTokens']) ?? 0,
      ...(premium !== undefined && { premium }),
    })
  }

  #finishSegments(data: Data): void {
    for (const segment of this.#segments.values()) segment.isWhole = true
    if (data['contentFilterTriggered'] === true) this.#stop = 'filtered'
    // The runtime asks the model to continue a cut text, so only the last finish reason counts.
    else this.#stop = data['finishReason'] === 'length' ? 'length' : undefined
  }

  /** The runtime retries by itself. Text from before the failure is not part of the reply. */
  #forgetAttempt(data: Data): void {
    for (const [message, segment] of this.#segments) if (!segment.isWhole) this.#segments.delete(message)
    if (data['statusCode'] === 429)
      this.#options.notice(
        'copilot_rate_limit',
        'the model server is rate-limiting requests (HTTP 429). The Copilot runtime waits and retries.',
      )
  }

  #take(agent: string, data: Data): void {
    if (agent === main) {
      this.#hasMessage = true
      this.#segments.set(textOf(data['messageId']), { text: textOf(data['content']), isWhole: true })
      if (typeof data['model'] === 'string') this.#model = data['model']
    }
    const chunks = numberOf(data['chunkCount'])
    const isLast = chunks === undefined || numberOf(data['chunkIndex']) === chunks - 1
    this.#callsOf(agent).list(callsIn(data), isLast)
    this.#tellCalls(agent)
    this.#mapEarly()
  }

  /** A request for a subagent is sent twice: with its own session, and with its parent's. */
  #request(data: Data): void {
    const request = textOf(data['requestId'])
    if (this.#requested.has(request)) return
    this.#requested.add(request)
    const session = textOf(data['ownerNativeSessionId']) || textOf(data['sessionId'])
    if (session !== this.#options.session) {
      this.#early.push(data)
      this.#mapEarly()
    } else if (this.#callsOf(main).has(textOf(data['toolCallId']))) this.#accept(main, data)
    else this.#options.refuse(request)
  }

  /**
   * Only the id of the call identifies the subagent of a request, and the message with the call may arrive later. If two
   * subagents have calls with this id, the result cannot be assigned.
   */
  #mapEarly(): void {
    const waiting = this.#early
    this.#early = []
    for (const data of waiting) {
      const id = textOf(data['toolCallId'])
      const [agent, ...others] = [...this.#calls.keys()].filter(
        (one) => one !== main && this.#callsOf(one).has(id),
      )
      if (agent === undefined) this.#early.push(data)
      else if (others.length > 0) this.#options.refuse(textOf(data['requestId']))
      else this.#accept(agent, data)
    }
  }

  #accept(agent: string, data: Data): void {
    this.#callsOf(agent).request(textOf(data['toolCallId']), textOf(data['requestId']), data['arguments'])
    this.#tellCalls(agent)
  }

  #callsOf(agent: string): MessageCalls {
    let calls = this.#calls.get(agent)
    if (calls === undefined) {
      calls = new MessageCalls(this.#options.ownerOf)
      this.#calls.set(agent, calls)
    }
    return calls
  }

  #tellCalls(agent: string): void {
    const calls = this.#callsOf(agent).take()
    // Without calls, the runtime has answered each of them itself, and continues.
    if (calls.length === 0) return
    this.#tellRound(calls, agent === main ? '' : `[Subagent ${this.#subagents.get(agent) ?? agent}]`)
  }

  #tellEnd(): void {
    const error = this.#error
    const said = this.#hasMessage
    this.#error = undefined
    this.#hasMessage = false
    this.#calls.clear()
    this.#requested.clear()
    this.#early = []
    const isEmpty = [...this.#segments.values()].every(({ text }) => text === '')
    // An empty reply is an error for the runtime; the loop handles it itself.
    if (error === undefined || (said && isEmpty && error.status === undefined)) {
      this.#tellRound([], '')
      return
    }
    this.#segments.clear()
    this.#options.round({ kind: 'failed', error, ...this.#takeUsage() })
  }

  #tellRound(calls: readonly RoundCall[], label: string): void {
    const said = [...this.#segments.values()].map(({ text, isWhole }) => (isWhole ? text : '')).join('')
    this.#segments.clear()
    this.#options.round({
      kind: 'round',
      text: said !== '' && label !== '' ? `${said}\n\n${label}` : said + label,
      calls,
      ...this.#takeUsage(),
      ...(this.#model !== undefined && { model: this.#model }),
      ...(this.#stop !== undefined && { stop: this.#stop }),
    })
  }

  #takeUsage(): { usage?: Usage } {
    const usage = this.#usage
    this.#usage = undefined
    return usage === undefined ? {} : { usage }
  }
}

function errorOf(data: Data): RuntimeError {
  const status = numberOf(data['statusCode'])
  const code = data['errorCode']
  return {
    type: textOf(data['errorType']),
    message: textOf(data['message']),
    ...(typeof code === 'string' && { code }),
    ...(status !== undefined && { status }),
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}
