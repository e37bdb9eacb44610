import type { Usage } from '@cadre/core'
import type { ProgressValue, TurnAnswer, TurnError } from './wire-types.ts'

export interface TurnEnd {
  readonly error?: TurnError
  readonly isCancelled: boolean
}

/** The maximum characters of a turn, far more than any model writes. Limits memory. */
const maxTextLength = 10_000_000
/** Text without a round. */
const plain = -1

/**
 * Assembles a turn from the server's progress reports. Servers send the text of a round either as pieces or cumulatively;
 * the complete round shows which. Some send text only at the end.
 */
export class TurnReader {
  conversationId: string | undefined
  turnId: string | undefined
  end: TurnEnd | undefined
  /** The number of the latest request to the model in this turn. */
  round = 0
  readonly #tell: (delta: string) => void
  readonly #rounds = new Map<number, Round>()
  #finalText: string | undefined
  #size = 0
  #taken = ''
  #sizes: { readonly first: number; last: number } | undefined
  #total: { readonly input: number; readonly output: number } | undefined
  #reported = { input: 0, output: 0 }

  constructor(tell: (delta: string) => void) {
    this.#tell = tell
  }

  read(value: ProgressValue): void {
    if (value.parentTurnId !== undefined) return
    this.conversationId ??= value.conversationId
    this.turnId ??= value.turnId
    this.#measure(value)
    if (value.kind === 'end') {
      this.end = {
        ...(value.error && { error: value.error }),
        isCancelled: value.cancellationReason !== undefined,
      }
      this.#finalText ??= textAtEnd(value)
      return
    }
    if (value.kind === 'begin' || value.hideText === true) return
    for (const { roundId = 0, reply } of value.editAgentRounds ?? []) {
      this.round = Math.max(this.round, roundId)
      if (reply) this.#add(roundId, reply)
    }
    const text = value.reply ?? value.delta ?? value.message
    if (text) this.#add(plain, text)
  }

  /** The answer to the request that started the turn. It may contain the only text. */
  answered(answer: TurnAnswer | undefined): void {
    this.conversationId ??= answer?.conversationId
    this.#finalText ??= answer && textAtEnd(answer)
    this.end ??= { isCancelled: false }
  }

  get isTooLong(): boolean {
    return this.#size > maxTextLength || (this.#finalText?.length ?? 0) > maxTextLength
  }

  /** Returns the text since the last call; `null` if there is none. */
  takeText(): string | null {
    const texts = [...this.#rounds.values()].map((round) => round.take()).filter((text) => text !== '')
    const text = this.#withFinal(texts.join('\n\n'))
    if (text === '') return null
    this.#taken += text
    return text
  }

  /** The final text may be new, the whole turn again, or an extension of the earlier text. */
  #withFinal(text: string): string {
    const final = this.end === undefined ? undefined : this.#finalText
    if (final === undefined) return text
    this.#finalText = undefined
    if (this.#taken.endsWith(final)) return text
    const rest = final.startsWith(this.#taken) ? final.slice(this.#taken.length) : final
    if (!rest.startsWith(text)) return text
    if (rest.length > text.length) this.#tell(rest.slice(text.length))
    return rest
  }

  /**
   * Returns the usage since the last call. During a turn, the server reports only the size of the context; at the end it
   * reports the total of the turn, and the last reply gets the difference.
   */
  takeUsage(): Usage | undefined {
    const { input, output } = this.#reported
    if (this.end !== undefined && this.#total !== undefined) {
      const rest = {
        input: Math.max(0, this.#total.input - input),
        output: Math.max(0, this.#total.output - output),
      }
      this.#total = undefined
      return rest
    }
    if (this.#sizes === undefined) return undefined
    const usage = { input: this.#sizes.first, output: Math.max(0, this.#sizes.last - this.#sizes.first) }
    this.#sizes = undefined
    this.#reported = { input: input + usage.input, output: output + usage.output }
    return usage
  }

  #add(id: number, piece: string): void {
    let round = this.#rounds.get(id)
    if (round === undefined) {
      round = new Round()
      this.#rounds.set(id, round)
    }
    const before = round.length
    const delta = round.add(piece)
    this.#size += round.length - before
    if (delta !== '') this.#tell(delta)
  }

  #measure({ contextSize, tokenUsage }: ProgressValue): void {
    const size = contextSize?.totalUsedTokens
    if (size !== undefined) {
      if (this.#sizes === undefined) this.#sizes = { first: size, last: size }
      else this.#sizes.last = size
    }
    if (tokenUsage?.promptTokens !== undefined)
      this.#total = { input: tokenUsage.promptTokens, output: tokenUsage.completionTokens ?? 0 }
  }
}

class Round {
  #pieces = ''
  #last = ''
  /** True if every piece so far started with the previous one. */
  #grows = true
  #hasGrown = false
  #streamed = ''
  #taken = 0

  /** Adds a piece, and returns the new text. */
  add(piece: string): string {
    const wasWhole = this.#isWhole
    this.#grows &&= piece.startsWith(this.#last)
    this.#hasGrown ||= this.#last !== '' && piece.length > this.#last.length
    const before = this.#pieces
    // Cumulative texts add up. Above the limit, they can be distinguished from pieces only by their growth.
    if (before.length <= maxTextLength) this.#pieces += piece
    this.#last = piece
    // The usual case, in constant time.
    if (!wasWhole && !this.#isWhole && this.#streamed === before) {
      this.#streamed = this.#pieces
      return piece
    }
    const text = this.#text
    if (!text.startsWith(this.#streamed)) return ''
    const delta = text.slice(this.#streamed.length)
    this.#streamed = text
    return delta
  }

  take(): string {
    const text = this.#text.slice(this.#taken)
    this.#taken += text.length
    return text
  }

  get length(): number {
    return this.#text.length
  }

  get #text(): string {
    return this.#isWhole ? this.#last : this.#pieces
  }

  /** True if the last piece is the whole text. */
  get #isWhole(): boolean {
    return this.#grows && this.#hasGrown
  }
}

function textAtEnd(value: TurnAnswer & { readonly error?: unknown }): string | undefined {
  return value.error === undefined ? value.reply || value.message || value.response || undefined : undefined
}
