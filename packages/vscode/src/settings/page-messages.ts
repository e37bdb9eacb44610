import type { ToPage } from '@cadre/settings-page'

type Post = (message: ToPage) => void

export interface PageMessages {
  /** Before the page is ready, messages are queued. Messages to a closed page are dropped. */
  send(message: ToPage): void
  /** The page can receive messages. Call `deliver` once it has its first state. */
  ready(post: Post): void
  /** Sends queued messages. */
  deliver(): void
  close(): void
}

const replayedKinds: ReadonlySet<ToPage['type']> = new Set(['newAgent', 'agents', 'message'])

/** The messages to the settings page. */
export function createPageMessages(): PageMessages {
  const waiting: ToPage[] = []
  let post: Post | undefined
  return {
    send(message) {
      if (post !== undefined) post(message)
      else if (replayedKinds.has(message.type)) waiting.push(message)
    },
    ready(opened) {
      post = opened
    },
    deliver() {
      if (post !== undefined) for (const message of waiting.splice(0)) post(message)
    },
    close() {
      post = undefined
    },
  }
}
