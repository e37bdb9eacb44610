import { randomUUID } from 'node:crypto'
import { CadreError } from '@cadre/core'
import { attachFiles } from './attach-files.ts'
import type { Chat } from './chat.ts'

/**
 * Lets the person speak to agents at work. A message is delivered to the entry session with its next round; one that comes too late, and
 * everything that is no message, is done when the turn has ended.
 */
export function steerTurn(chat: Chat): void {
  const { screen, runtime } = chat
  if (screen === undefined) return
  const entry = () => chat.seen.view.roots[0]
  const waiting: string[] = []
  const show = () => {
    screen.waiting = [...waiting]
  }
  async function deliver(text: string): Promise<void> {
    const session = entry()
    const isMessage = !/^\s*(?:[/!](?!\/)|@\S|\d{1,3}\s*$)/.test(text)
    if (!isMessage || session === undefined) {
      chat.queue.push(text)
      return
    }
    const work = attachFiles(chat.io, text.trim(), chat.conversation.workspace)
    if (await runtime.orchestrator.tell(session, { ...work, message: randomUUID() })) chat.input.sent(text)
    else chat.queue.push(text)
  }
  show()
  screen.steering = {
    send(text) {
      waiting.push(text)
      show()
      const done = deliver(text).catch((error: unknown) => {
        if (!(error instanceof CadreError)) throw error
        runtime.tell(error.message)
      })
      chat.deliveries.add(done)
      void done.finally(() => {
        chat.deliveries.delete(done)
        waiting.splice(waiting.indexOf(text), 1)
        show()
      })
    },
    interrupt() {
      const session = entry()
      const isHeard = waiting.length > 0
      if (isHeard && session !== undefined) void runtime.orchestrator.interrupt(session)
      else if (!isHeard) process.kill(process.pid, 'SIGINT')
    },
  }
}
