/**
 * Starts sessions on workers whose files people have written. Called by the remote keeper.
 *
 * 1. The request to start is in the queue on disk before the file is moved, and is sent only after that. So a crash in between neither loses
 *    the session nor starts it twice.
 * 2. The file is kept as `.orig`. The record of the session takes its place.
 * 3. A file that asks for something that workers may not or cannot do is not moved. A corrected file replaces a start that no worker has
 *    accepted.
 * 4. An agent could have written a file while a command runs without a sandbox. Such a file starts nothing.
 */
import { CadreError, messageOf } from '@cadre/core'
import { doubtsAbout, isUnsandboxedCommandRunning } from '@cadre/home'
import { moveWritten, readWritten, type WrittenSession } from '@cadre/journal'
import type { KeeperOptions } from '../sessions/create-session-keeper.ts'
import { requireAgent } from '../sessions/start-request.ts'
import type { RemoteDeliveries } from './remote-deliveries.ts'

export interface WrittenSessionsOptions extends Pick<KeeperOptions, 'home' | 'parts' | 'note'> {
  readonly deliveries: Pick<RemoteDeliveries, 'queueStart' | 'serveAll'>
  /** Whether each tree has a checkout, so that its agent needs no folder in the home. */
  readonly hasCheckouts: boolean
  /** Throws if a session may not or cannot work in a folder. */
  readonly requirePlace: (session: string, folder: string) => void
  /** Sets or clears the problem of a session. */
  readonly report: (session: string, message: string | undefined) => void
}

export class WrittenSessions {
  readonly #options: WrittenSessionsOptions
  /** Sessions to start when no command is running without a sandbox. */
  readonly #later = new Set<string>()

  constructor(options: WrittenSessionsOptions) {
    this.#options = options
  }

  /** Starts a session if a person has written its file. Returns false if the file shows a session that has already started. */
  async start(session: string): Promise<boolean> {
    const { home, parts, requirePlace } = this.#options
    const written = readWritten(home, session)
    if (written === undefined) return false
    await requireAgent(written, parts().parts)
    requirePlace(session, written.workspace)
    if (isUnsandboxedCommandRunning(home)) this.#later.add(session)
    // If the file has changed in the meantime, the watcher reports it again.
    else if (readWritten(home, session)?.stamp === written.stamp) this.#enqueue(session, written)
    return true
  }

  /** Starts what had to wait. */
  async retry(): Promise<void> {
    if (this.#later.size === 0 || isUnsandboxedCommandRunning(this.#options.home)) return
    const sessions = [...this.#later]
    this.#later.clear()
    for (const session of sessions)
      await this.start(session).catch((error: unknown) => this.#options.report(session, messageOf(error)))
  }

  /** Synchronous, so that the file is as it was read. */
  #enqueue(session: string, { stamp: _, workspace, namesWorkspace, ...start }: WrittenSession): void {
    const { home, deliveries, hasCheckouts, note, report } = this.#options
    if (doubtsAbout(home, session).length > 0) {
      throw new CadreError(
        'configuration',
        `session ${session} was not started, because its file changed while a command ran without a sandbox, so an agent could have written it. To start the session, check the file and rename it.`,
      )
    }
    const isThere = namesWorkspace || !hasCheckouts
    if (!deliveries.queueStart({ id: session, ...start, ...(isThere && { workspace }) })) {
      throw new CadreError(
        'usage',
        `session ${session} was not started from this file, because an earlier request to start it was sent to the workers. Rename the file to start another session, or cancel this session first.`,
      )
    }
    const kept = moveWritten(home, session)
    const message = `${session} starts on a worker. Cadre kept the file that started it as ${kept}.`
    note({ type: 'session.written', message, session })
    report(session, undefined)
    deliveries.serveAll()
  }
}
