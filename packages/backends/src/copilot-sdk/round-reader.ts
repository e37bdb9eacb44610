import { addUsage, type Usage } from '@cadre/core'
import type { SdkEvent } from './sdk-types.ts'

export interface RoundCall {
  readonly id: string
  readonly name: string
  /** JSON as the model wrote it, valid or not. */
  readonly arguments: string
  /** What the runtime waits for. Absent when it has answered the call itself, with an error. */
  readonly request?: string
}

/** What the runtime says about a request that failed for good. */
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

export interface RoundListener {
  readonly text: (delta: string) => void
  readonly round: (round: Round) => void
  readonly notice: (code: string, message: string) => void
}

interface Segment {
  text: string
  isWhole: boolean
}

type Data = SdkEvent['data']

/**
 * Reads the events of one SDK session as rounds. A message with calls is a round once the runtime waits for the result of each call of
 * our tools: before that, it may still answer one itself, for example because its arguments are not JSON.
 */
export class RoundReader {
  readonly #isOurs: (name: string) => boolean
  readonly #multiplier: number | undefined
  readonly #listener: RoundListener
  /** The texts since the last round, by message: one that was cut for its length has no message of its own. */
  readonly #segments = new Map<string, Segment>()
  readonly #written = new Map<string, string>()
  readonly #requests = new Map<string, { readonly id: string; readonly arguments: string }>()
  readonly #answered = new Set<string>()
  #open: { readonly id: string; readonly name: string; readonly arguments: unknown }[] = []
  #isListed = false
  #usage: Usage | undefined
  #model: string | undefined
  #stop: 'length' | 'filtered' | undefined
  #error: RuntimeError | undefined
  #hasMessage = false

  constructor(isOurs: (name: string) => boolean, multiplier: number | undefined, listener: RoundListener) {
    this.#isOurs = isOurs
    this.#multiplier = multiplier
    this.#listener = listener
  }

  /** True while the runtime cannot go on without the result of a call of our tools. */
  get waitsForUs(): boolean {
    return this.#open.some(({ id, name }) => this.#isOurs(name) && !this.#answered.has(id))
  }

  push({ type, agentId, data }: SdkEvent): void {
    if (type === 'assistant.usage') this.#count(data)
    // What a subagent of the runtime says is not said by this session.
    if (agentId !== undefined || data['parentToolCallId'] !== undefined) return
    switch (type) {
      case 'assistant.message_delta':
        this.#hear(textOf(data['messageId']), textOf(data['deltaContent']))
        break
      case 'assistant.tool_call_delta': {
        const id = textOf(data['toolCallId'])
        this.#written.set(id, (this.#written.get(id) ?? '') + textOf(data['inputDelta']))
        break
      }
      case 'assistant.usage':
        this.#finishSegments(data)
        break
      case 'model.call_failure':
        this.#forgetAttempt(data)
        break
      case 'assistant.message':
        this.#take(data)
        break
      case 'external_tool.requested':
        this.#requests.set(textOf(data['toolCallId']), {
          id: textOf(data['requestId']),
          arguments: JSON.stringify(data['arguments'] ?? {}),
        })
        this.#tellCalls()
        break
      case 'tool.execution_complete':
        this.#answered.add(textOf(data['toolCallId']))
        this.#tellCalls()
        break
      case 'session.error':
        this.#error = errorOf(data)
        break
      case 'session.warning':
        this.#listener.notice(`copilot_${textOf(data['warningType'])}`, textOf(data['message']))
        break
      case 'session.idle':
        this.#tellEnd()
    }
  }

  #hear(message: string, delta: string): void {
    const segment = this.#segments.get(message)
    if (segment === undefined) this.#segments.set(message, { text: delta, isWhole: false })
    else segment.text += delta
    this.#listener.text(delta)
  }

  #count(data: Data): void {
    const isAsked = data['initiator'] === undefined || data['initiator'] === 'user'
    // Copilot counts a request that a person makes, times the model's multiplier. Those that follow from it are free.
    const premium =
      data['isByok'] === true ? undefined : isAsked ? (numberOf(data['cost']) ?? this.#multiplier) : undefined
    this.#usage = addUsage(this.#usage ?? { input: 0, output: 0 }, {
      input: numberOf(data['inputTokens']) ?? 0,
      output: numberOf(data['outputTokens']) ?? 0,
      ...(premium !== undefined && { premium }),
    })
  }

  #finishSegments(data: Data): void {
    for (const segment of this.#segments.values()) segment.isWhole = true
    if (data['contentFilterTriggered'] === true) this.#stop = 'filtered'
    // The runtime asks the model to continue a text that was cut, so only the last finish tells.
    else this.#stop = data['finishReason'] === 'length' ? 'length' : undefined
  }

  /** The runtime asks again by itself. What arrived before the failure is no part of the reply. */
  #forgetAttempt(data: Data): void {
    for (const [message, segment] of this.#segments) if (!segment.isWhole) this.#segments.delete(message)
    if (data['statusCode'] === 429)
      this.#listener.notice(
        'copilot_rate_limit',
        'The model server limits requests (HTTP 429). The Copilot runtime waits and tries again.',
      )
  }

  #take(data: Data): void {
    this.#hasMessage = true
    // Some models use the same ids in each reply.
    if (this.#open.length === 0) this.#answered.clear()
    this.#segments.set(textOf(data['messageId']), { text: textOf(data['content']), isWhole: true })
    if (typeof data['model'] === 'string') this.#model = data['model']
    for (const call of listOf(data['toolRequests']))
      this.#open.push({
        id: textOf(call['toolCallId']),
        name: textOf(call['name']),
        arguments: call['arguments'],
      })
    const chunks = numberOf(data['chunkCount'])
    this.#isListed = chunks === undefined || numberOf(data['chunkIndex']) === chunks - 1
    this.#tellCalls()
  }

  #tellCalls(): void {
    if (this.#open.length === 0 || !this.#isListed) return
    const isKnown = ({ id, name }: { id: string; name: string }) =>
      !this.#isOurs(name) || this.#requests.has(id) || this.#answered.has(id)
    if (!this.#open.every(isKnown)) return
    const calls = this.#open.flatMap((call) => this.#callOf(call) ?? [])
    this.#open = []
    // The runtime has answered every call itself, and continues by itself.
    if (calls.length > 0) this.#tellRound(calls)
  }

  #callOf(call: { id: string; name: string; arguments: unknown }): RoundCall | undefined {
    const { id, name } = call
    const request = this.#requests.get(id)
    const written = this.#written.get(id)
    this.#written.delete(id)
    this.#requests.delete(id)
    const isAnswered = this.#answered.delete(id)
    if (request !== undefined) return { id, name, arguments: request.arguments, request: request.id }
    const text = written?.trim() ? written : JSON.stringify(call.arguments ?? {})
    // The model was told that a valid call failed: it must not have an effect afterwards.
    return isAnswered && this.#isOurs(name) && isJson(text) ? undefined : { id, name, arguments: text }
  }

  #tellEnd(): void {
    const error = this.#error
    const said = this.#hasMessage
    this.#error = undefined
    this.#hasMessage = false
    this.#open = []
    this.#requests.clear()
    this.#answered.clear()
    this.#written.clear()
    const isEmpty = [...this.#segments.values()].every(({ text }) => text === '')
    // An empty reply is an error for the runtime; the loop has its own way to ask again.
    if (error === undefined || (said && isEmpty && error.status === undefined)) {
      this.#tellRound([])
      return
    }
    this.#segments.clear()
    this.#listener.round({ kind: 'failed', error, ...this.#takeUsage() })
  }

  #tellRound(calls: readonly RoundCall[]): void {
    const text = [...this.#segments.values()].map((segment) => (segment.isWhole ? segment.text : '')).join('')
    this.#segments.clear()
    this.#listener.round({
      kind: 'round',
      text,
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

function listOf(value: unknown): readonly Data[] {
  return Array.isArray(value) ? (value as readonly Data[]) : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
