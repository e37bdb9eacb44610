import type { Agents } from '@cadre/core'
import type { Mailboxes, TeamFiles } from '@cadre/home'

/** The functions that `send_message` needs. */
export interface MessagePort {
  readonly mailboxes: Mailboxes
  readonly teams?: Pick<TeamFiles, 'addressOf' | 'post' | 'has' | 'refuseMessage'>
  /** As they are when it is asked. */
  readonly agents: Pick<Agents, 'get' | 'list'>
  /** The agent of a session of this home; nothing when there is no such session. */
  readonly agentOf: (session: string) => Promise<string | undefined>
  /** Whether somebody delivers messages now. */
  readonly attended: () => boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}
