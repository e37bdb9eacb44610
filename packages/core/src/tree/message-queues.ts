import type { Work } from '../ports/session-spec.ts'
import type { QueuedMessage } from '../session/open-session.ts'

/** The messages to running sessions that the sessions have not taken yet. */
export class MessageQueues {
  readonly #queues = new Map<string, QueuedMessage[]>()

  /** Resolves to true when the session has recorded the message, and to false if it ended or was suspended first. */
  add(session: string, work: Work): Promise<boolean> {
    return new Promise((settle) => {
      const queue = this.#queues.get(session)
      if (queue === undefined) this.#queues.set(session, [{ work, settle }])
      else queue.push({ work, settle })
    })
  }

  has(session: string): boolean {
    return this.#queues.has(session)
  }

  /** Removes and returns the messages to a session, in order. */
  take(session: string): readonly QueuedMessage[] {
    const queue = this.#queues.get(session)
    if (queue === undefined) return []
    this.#queues.delete(session)
    return queue
  }

  /** Called when the session has ended or was suspended. */
  drop(session: string): void {
    for (const { settle } of this.take(session)) settle(false)
  }
}
