/**
 * Reads server-sent events and passes on the data of each. The result does not depend on how the text is split into chunks.
 * Accepts what servers really send: `\r\n`, comments, other fields, `data:` without a space, multi-line data, and an
 * unterminated last event.
 */
export class SseReader {
  readonly #onData: (data: string) => void
  #rest = ''
  #data: string | undefined
  #isFirst = true

  constructor(onData: (data: string) => void) {
    this.#onData = onData
  }

  /** The number of buffered characters of an incomplete line or event. */
  get held(): number {
    return this.#rest.length + (this.#data?.length ?? 0)
  }

  push(chunk: string): void {
    let end = chunk.indexOf('\n')
    if (end < 0) {
      // Only appended: joining a long line again with every chunk would be quadratic.
      this.#rest += chunk
      return
    }
    this.#take(this.#rest + chunk.slice(0, end))
    let start = end + 1
    for (end = chunk.indexOf('\n', start); end >= 0; end = chunk.indexOf('\n', start)) {
      this.#take(chunk.slice(start, end))
      start = end + 1
    }
    this.#rest = chunk.slice(start)
  }

  end(): void {
    if (this.#rest !== '') this.#take(this.#rest)
    this.#rest = ''
    this.#dispatch()
  }

  #take(line: string): void {
    const start = this.#isFirst && line.startsWith('\uFEFF') ? 1 : 0
    const text = line.slice(start, line.endsWith('\r') ? -1 : undefined)
    this.#isFirst = false
    if (text === '') this.#dispatch()
    if (!text.startsWith('data') || (text.length > 4 && text[4] !== ':')) return
    const value = text.slice(text[5] === ' ' ? 6 : 5)
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
  }

  #dispatch(): void {
    if (this.#data === undefined) return
    const data = this.#data
    this.#data = undefined
    this.#onData(data)
  }
}
