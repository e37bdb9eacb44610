/**
 * Streams text only once, even if a request is retried: repeated text is skipped, and if a later attempt differs, nothing
 * more is streamed.
 */
export class StreamedText {
  readonly #tell: (delta: string) => void
  #streamed = ''
  /** How much of the streamed text this attempt has repeated; past its end if it differs. */
  #place = 0

  constructor(tell: (delta: string) => void) {
    this.#tell = tell
  }

  /** A new attempt starts from the beginning. */
  begin(): void {
    this.#place = 0
  }

  tell(delta: string): void {
    if (this.#place > this.#streamed.length) return
    const known =
      this.#place === this.#streamed.length
        ? ''
        : this.#streamed.slice(this.#place, this.#place + delta.length)
    if (!delta.startsWith(known)) {
      this.#place = Number.POSITIVE_INFINITY
      return
    }
    this.#place += delta.length
    if (known.length === delta.length) return
    const news = known === '' ? delta : delta.slice(known.length)
    this.#streamed += news
    this.#tell(news)
  }
}
