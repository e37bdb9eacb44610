import { randomUUID } from 'node:crypto'
import { CadreError, type Work } from '@cadre/core'
import { attachFiles } from './attach-files.ts'
import type { Chat } from './chat.ts'
import type { EnteredLine } from './input.ts'

/**
 * Lets the person send messages to working agents. Messages are delivered to the entry session with its next round, in
 * order. A message that arrives too late, and any other line, is handled when the turn has ended. `hears`: there is a
 * session that can receive messages.
 */
export function enableSteering(chat: Chat, hears: boolean): void {
  const { screen, runtime, drive } = chat
  if (screen === undefined) return
  const { orchestrator } = runtime
  const entry = () => (hears ? chat.seen.view.roots[0] : undefined)
  const waiting: EnteredLine[] = []
  /** Resolves when every message so far has been passed to the orchestrator. */
  let handedOver: Promise<unknown> = Promise.resolve()
  const show = () => {
    screen.waiting = [
      ...waiting
        .filter((entered) => !chat.queue.includes(entered))
        .map(({ text }) => ({ text, next: 'sent with the next round' })),
      ...chat.queue.map(({ text }) => ({ text, next: 'after this turn' })),
    ]
  }

  async function prepare(session: string, entered: EnteredLine): Promise<Work> {
    // Removes the escape before a message that starts like a command.
    const message = entered.text.trim().replace(/^(?:\\(?=[/@!\d])|\/(?=\/))/, '')
    const { work, notes } = await attachFiles(message, entered, {
      io: chat.io,
      orchestrator,
      agent: (await runtime.read(session)).spec.agent,
      workspace: chat.conversation.workspace,
    })
    for (const note of notes) runtime.tell(note)
    return { ...work, message: randomUUID() }
  }

  function deliver(entered: EnteredLine): Promise<void> {
    const session = entry()
    const isMessage = !/^\s*(?:[/!](?!\/)|@\S|\d{1,3}\s*$)/.test(entered.text)
    if (!isMessage || session === undefined) {
      chat.queue.push(entered)
      return Promise.resolve()
    }
    const mine = handedOver.then(async () => {
      const work = await prepare(session, entered)
      // Not awaited here: the session reads it with its next round, and later messages must not wait for that.
      return { isHeard: orchestrator.tell(session, work) }
    })
    handedOver = mine.catch(() => undefined)
    return mine.then(async ({ isHeard }) => {
      if (await isHeard) chat.input.sent(entered.text)
      else chat.queue.push(entered)
    })
  }

  /** Emits the event directly: a real signal could arrive after the turn has ended. */
  const stop = () => {
    // A second SIGINT exits immediately, which only Ctrl-C may do.
    if (drive.stoppedBy === undefined) process.emit('SIGINT', 'SIGINT')
  }

  show()
  screen.steering = {
    send(entered) {
      waiting.push(entered)
      const done = deliver(entered).catch((error: unknown) => {
        if (!(error instanceof CadreError)) throw error
        runtime.tell(error.message)
      })
      show()
      chat.deliveries.add(done)
      void done.finally(() => {
        chat.deliveries.delete(done)
        waiting.splice(waiting.indexOf(entered), 1)
        show()
      })
    },
    interrupt(isAfterMessage) {
      const session = entry()
      if (session === undefined || waiting.length === 0) {
        stop()
        return
      }
      void handedOver.then(() => {
        if (!orchestrator.interrupt(session) && !isAfterMessage) stop()
      })
    },
  }
}
