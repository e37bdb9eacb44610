import type { CadreEvent } from '@cadre/core'

type Started = Extract<CadreEvent, { type: 'session.started' }>

interface Known {
  readonly label: string
  readonly chain: string
}

/**
 * The names of a run's sessions in the chat. The top session has no name. Others are named after their agent and its
 * ancestors: `reviewer › linter`. A second session of the same agent below the same session gets a number: `reviewer 2`.
 */
export class SessionNames {
  readonly #known = new Map<string, Known>()
  readonly #counts = new Map<string, number>()

  add({ session, agent, parent }: Pick<Started, 'session' | 'agent' | 'parent'>): void {
    // A continued session keeps its name.
    if (this.#known.has(session)) return
    if (parent === undefined) {
      this.#known.set(session, { label: '', chain: agent })
      return
    }
    const key = `${parent.session}\n${agent}`
    const count = (this.#counts.get(key) ?? 0) + 1
    this.#counts.set(key, count)
    const name = count === 1 ? agent : `${agent} ${count}`
    const above = this.#known.get(parent.session)
    const below = (start: string | undefined) => (start ? `${start} › ${name}` : name)
    this.#known.set(session, { label: below(above?.label), chain: below(above?.chain) })
  }

  /** Empty for a top session, and for an unknown one. */
  labelOf(session: string): string {
    return this.#known.get(session)?.label ?? ''
  }

  /** With the agent at the top: `coordinator › reviewer`. */
  chainOf(session: string): string {
    return this.#known.get(session)?.chain ?? session
  }

  isEntry(session: string): boolean {
    return this.#known.get(session)?.label === ''
  }
}
