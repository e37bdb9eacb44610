import { addUsage, noUsage, type Usage } from '@cadre/core'
import type { Editor } from './editor.ts'

export interface UsageOptions {
  readonly editor: Pick<Editor, 'update'>
  /** The editor's session. */
  readonly sessionId: string
  /** The size of a model's context window, if it is known. */
  readonly windowOf: (model: string) => number | undefined
}

/** Shows how full the entry agent's context window is, and the whole tree's cost. */
export class UsageUpdates {
  readonly #options: UsageOptions
  #total: Usage = noUsage
  /** The last request, if it has not been sent to the editor yet. */
  #unsent: { readonly model: string; readonly used: number } | undefined

  constructor(options: UsageOptions) {
    this.#options = options
  }

  get total(): Usage {
    return this.#total
  }

  add(usage: Usage): void {
    this.#total = addUsage(this.#total, usage)
  }

  /** The model whose usage has not been sent to the editor yet. */
  get unsentModel(): string | undefined {
    return this.#unsent?.model
  }

  /** The entry agent's model has answered a request with this usage. In a replay, only the last usage matters. */
  requested(model: string, { input, output }: Usage, isReplay: boolean): void {
    this.#unsent = { model, used: input + output }
    if (!isReplay) this.send()
  }

  /** Sends how full the context window is, if that has changed and the size of the window is known. */
  send(): void {
    const { editor, sessionId, windowOf } = this.#options
    const size = this.#unsent && windowOf(this.#unsent.model)
    if (this.#unsent === undefined || size === undefined) return
    const used = Math.min(this.#unsent.used, size)
    this.#unsent = undefined
    const { cost } = this.#total
    editor.update(sessionId, {
      sessionUpdate: 'usage_update',
      used,
      size,
      ...(cost !== undefined && { cost: { amount: cost, currency: 'USD' } }),
    })
  }
}
