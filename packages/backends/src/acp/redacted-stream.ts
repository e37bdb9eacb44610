/**
 * Hides secrets in text that arrives in pieces. Holds back the end of the text as long as it may be the beginning of a
 * secret.
 */
export class RedactedStream {
  readonly #secrets: readonly string[]
  readonly #longest: number
  readonly #tell: (delta: string) => void
  #held = ''

  constructor(secrets: readonly string[], tell: (delta: string) => void) {
    // A secret may begin with another one.
    this.#secrets = secrets.toSorted((a, b) => b.length - a.length)
    this.#longest = this.#secrets[0]?.length ?? 0
    this.#tell = tell
  }

  tell(delta: string): void {
    this.#pass(this.#held + delta, true)
  }

  /** Tells the rest: no more text will follow. */
  end(): void {
    this.#pass(this.#held, false)
  }

  #pass(text: string, isOpen: boolean): void {
    let shown = ''
    let from = 0
    let at = 0
    while (at < text.length && !(isOpen && this.#mayBegin(text, at))) {
      const secret = this.#secrets.find((one) => text.startsWith(one, at))
      if (secret === undefined) at++
      else {
        shown += `${text.slice(from, at)}[hidden]`
        at += secret.length
        from = at
      }
    }
    shown += text.slice(from, at)
    this.#held = text.slice(at)
    if (shown !== '') this.#tell(shown)
  }

  /** True if the text from here on is the beginning of a secret, and not a whole one. */
  #mayBegin(text: string, at: number): boolean {
    if (text.length - at >= this.#longest) return false
    const rest = text.slice(at)
    return this.#secrets.some((secret) => secret.length > rest.length && secret.startsWith(rest))
  }
}
