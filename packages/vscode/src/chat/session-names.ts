import type { CadreEvent } from '@cadre/core'

type Started = Extract<CadreEvent, { type: 'session.started' }>

interface Known {
  readonly label: string
  readonly chain: string
}

/**
 * What the sessions of a run are called in the chat. The one at the top has no name. One below is called after its agent and those above
 * it: `reviewer › linter`. A second one of the same agent below the same session has a number: `reviewer 2`.
 */
export class SessionNames {
  readonly #known = new Map<string, Known>()
  readonly #counts = new Map<string, number>()

  add({ session, agent, parent }: Pick<Started, 'session' | 'agent' | 'parent'>): void {
    // One that goes on keeps its name.
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

  /** Empty for a session at the top, and for one that is not known. */
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
