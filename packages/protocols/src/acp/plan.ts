import { messageOf } from '@cadre/core'
import type { Home } from '@cadre/home'
import type { PlanEntry } from './acp-types.ts'
import { planFromTasks } from './plan-from-tasks.ts'

export interface PlanOptions {
  readonly send: (entries: PlanEntry[]) => void
  /** True for a session in the editor's tree. */
  readonly isOurs: (session: string) => boolean
  readonly warn: (message: string) => void
}

/** The plan that an editor shows. The whole plan is sent, and only if it has changed. */
export class Plan {
  readonly #options: PlanOptions
  #sent = ''

  constructor(options: PlanOptions) {
    this.#options = options
  }

  send(home: Home): void {
    const { send, isOurs, warn } = this.#options
    try {
      const entries = planFromTasks(home, isOurs)
      const text = JSON.stringify(entries ?? [])
      if (entries === undefined || text === this.#sent) return
      this.#sent = text
      send(entries)
    } catch (error) {
      warn(`cannot read the tasks: ${messageOf(error)}`)
    }
  }
}
