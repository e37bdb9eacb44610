import type { Message, ModelRequest } from '@cadre/core'

/**
 * A request, as conditions and templates see it. Reads only the messages since the last reply and the first one, so that
 * the cost does not grow with the session.
 */
export class RequestView {
  readonly request: ModelRequest
  /** A template value that the request does not have. */
  missing: string | undefined
  /** The number of the current call, from 1. */
  call = 1
  /** The last match of `expect.matches`, with its groups. */
  found: readonly (string | undefined)[] = []
  #newMessages: readonly Message[] | undefined
  #last: string | undefined

  constructor(request: ModelRequest) {
    this.request = request
  }

  get last(): string {
    this.#last ??= this.#since()
      .map((message) => message.content)
      .join('\n')
    return this.#last
  }

  get work(): string {
    return this.request.messages.find((message) => message.role === 'user')?.content ?? ''
  }

  /** Returns the result of the n-th call of the last reply, from 1. */
  result(n: number): string {
    const result = this.#since().filter((message) => message.role === 'tool_result')[n - 1]
    if (result === undefined) this.missing ??= `result ${n}`
    return result?.content ?? ''
  }

  /** Returns the match of `matches`, or one of its groups. */
  foundGroup(n: number): string {
    const text = this.found[n]
    if (text === undefined) this.missing ??= `found ${n}`
    return text ?? ''
  }

  #since(): readonly Message[] {
    if (this.#newMessages !== undefined) return this.#newMessages
    const { messages } = this.request
    let start = messages.length
    while (start > 0 && messages[start - 1]?.role !== 'assistant') start--
    this.#newMessages = messages.slice(start)
    return this.#newMessages
  }
}

/** For messages: quoted, on one line, shortened. */
export function quoteText(text: string, max = 200): string {
  const short = text.length > max ? `${text.slice(0, max)}…` : text
  return JSON.stringify(short)
}
