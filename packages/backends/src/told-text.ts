/** Tells text only once, also when a question is asked again: what a later try repeats is left out, and where it differs nothing more is told. */
export class ToldText {
  readonly #tell: (delta: string) => void
  #told = ''
  /** How much of what was told this try has said again; beyond it, if it says something else. */
  #place = 0

  constructor(tell: (delta: string) => void) {
    this.#tell = tell
  }

  /** A try begins from its start. */
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
    this.#tell(news)
  }
}
