import { addUsage, type CadreEvent, foldEntries, noUsage, type StoredSession, type Usage } from '@cadre/core'
import type { Runtime } from '@cadre/runtime'
import { branchOf } from './branch-of.ts'
import type { StatusInfo } from './status-line.ts'

/** The content of the status line. */
export class ChatStatus {
  readonly #workspace: string
  readonly #models: () => Runtime['models'] | undefined
  #entry: string | undefined
  #model: string | undefined
  #window: number | undefined
  #used: number | undefined
  #usage: Usage = noUsage
  #branch: { readonly name: string | undefined; readonly at: number } | undefined

  constructor(workspace: string, models: () => Runtime['models'] | undefined, model: string | undefined) {
    this.#workspace = workspace
    this.#models = models
    this.#model = model
  }

  event(event: CadreEvent): void {
    if (event.type === 'session.started' && event.parent === undefined) {
      this.#entry = event.session
      if (event.model !== this.#model || this.#window === undefined) void this.#take(event.model)
    }
    if (event.type === 'context.compacted' && event.session === this.#entry) this.#used = undefined
    if (event.type !== 'reply.received' || event.usage === undefined) return
    this.#usage = addUsage(this.#usage, event.usage)
    if (event.session === this.#entry) this.#used = event.usage.input + event.usage.output
  }

  chooseModel(model: string, window: number | undefined): void {
    this.#model = model
    this.#window = window
  }

  takeUp(stored: StoredSession): void {
    const { usage, measured } = foldEntries(stored.entries, stored.spec.id)
    this.#usage = usage
    this.#used = measured?.tokens
    this.#model = stored.spec.model
    this.#window = undefined
  }

  forget(): void {
    this.#usage = noUsage
    this.#used = undefined
  }

  facts(): StatusInfo {
    return {
      model: this.#model,
      context: this.#used === undefined ? undefined : { used: this.#used, window: this.#window },
      usage: this.#usage,
      branch: this.#branchNow(),
    }
  }

  /** A session was started with the model, so its backend knows it by now. */
  async #take(model: string): Promise<void> {
    this.#model = model
    this.#window = undefined
    const found = await this.#models()?.resolve(model)
    if (found?.kind === 'found' && this.#model === model) this.#window = found.model.window
  }

  #branchNow(): string | undefined {
    const now = performance.now()
    if (this.#branch === undefined || now - this.#branch.at > 1000)
      this.#branch = { name: branchOf(this.#workspace), at: now }
    return this.#branch.name
  }
}
