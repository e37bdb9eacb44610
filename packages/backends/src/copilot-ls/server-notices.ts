import { hideTokens } from '../hide-tokens.ts'

interface Quota {
  readonly percentRemaining?: number
  readonly unlimited?: boolean
  readonly quota?: number
  readonly resetDate?: string
}

type Tell = (code: string, message: string) => void

/**
 * Notices of the server about limits and quotas, for one of the current callers, or for the next one. Each state is
 * reported once: a low quota is reported again only when it is lower.
 */
export class ServerNotices {
  readonly #last = new Map<string, string>()
  readonly #waiting = new Map<string, string>()
  readonly #listeners = new Set<Tell>()
  readonly #hide: (text: string) => string

  constructor(hide = hideTokens) {
    this.#hide = hide
  }

  /** A notification of the server. */
  notified(method: string, params: unknown): void {
    const { message, premium_interactions: premium } = (params ?? {}) as {
      readonly message?: string
      readonly premium_interactions?: Quota
    }
    if (method === '$/copilot/rateLimitWarning' && message) this.post('copilot_rate_limit', message)
    if (method === 'copilot/quotaWarning' && message) this.post('copilot_quota', message)
    if (method === 'copilot/quotaChange' && premium !== undefined) this.#quota(premium)
  }

  post(code: string, message: string): void {
    if (this.#last.get(code) === message) return
    this.#last.set(code, message)
    const shown = this.#hide(message)
    const [tell] = this.#listeners
    if (tell === undefined) this.#waiting.set(code, shown)
    else tell(code, shown)
  }

  /** Passes notices to `tell` until the returned function is called. */
  listen(tell: Tell): () => void {
    for (const [code, message] of this.#waiting) tell(code, message)
    this.#waiting.clear()
    this.#listeners.add(tell)
    return () => this.#listeners.delete(tell)
  }

  #quota({ percentRemaining: left, unlimited, quota = 0, resetDate }: Quota): void {
    if (left === undefined || unlimited === true || quota <= 0) return
    const level = left <= 0 ? 'all' : left <= 10 ? '90%' : left <= 25 ? '75%' : undefined
    if (level === undefined) {
      this.#last.delete('copilot_premium')
      return
    }
    const until = resetDate ? ` Your quota renews on ${resetDate.slice(0, 10)}.` : ''
    this.post(
      'copilot_premium',
      `you have used ${level} of the premium requests in your Copilot plan.${until}`,
    )
  }
}
