import { restateFailure } from '../restate-failure.ts'

type Listener = (problem: string | undefined) => void

export interface PlaceHealthOptions {
  readonly ingress: string
  readonly place: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How often the server is asked while no worker answers, and how long it may take, in milliseconds. */
const interval = 2_000

/** Checks whether the workers of a place answer and, if not, whether the server does. */
export class PlaceHealth {
  readonly #options: PlaceHealthOptions
  readonly #listeners = new Set<Listener>()
  #timer: NodeJS.Timeout | undefined
  #problem: string | undefined
  #isClosed = false
  /** Increases with each answer of a worker. */
  #answers = 0

  constructor(options: PlaceHealthOptions) {
    this.#options = options
  }

  onProblem(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#problem !== undefined) listener(this.#problem)
    return () => this.#listeners.delete(listener)
  }

  /** A worker has answered, or none has. */
  answered(error?: unknown): void {
    if (this.#isClosed) return
    if (error === undefined) {
      this.#answers += 1
      clearInterval(this.#timer)
      this.#timer = undefined
      this.#set(undefined)
    } else if (this.#timer === undefined) {
      this.#timer = setInterval(() => void this.#look(), interval)
      this.#timer.unref()
      void this.#look()
    }
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
  }

  async #look(): Promise<void> {
    const { ingress, place, headers } = this.#options
    const answers = this.#answers
    let problem = `no worker of place ${place} answers, so its sessions wait. Start one with "cadre worker", or restart the one that is running.`
    try {
      await fetch(`${ingress.replace(/\/+$/, '')}/restate/health`, {
        ...(headers && { headers }),
        signal: AbortSignal.timeout(interval),
      })
    } catch (error) {
      problem = `cannot reach the Restate server at ${ingress}: ${restateFailure(error, 'engine.ingress')}`
    }
    if (!this.#isClosed && this.#answers === answers) this.#set(problem)
  }

  #set(problem: string | undefined): void {
    if (problem === this.#problem) return
    this.#problem = problem
    for (const listener of this.#listeners) listener(problem)
  }
}
