import type { Agents } from '@cadre/core'
import type { Mailboxes, TeamFiles } from '@cadre/home'

/** The functions that `send_message` needs. */
export interface MessagePort {
  readonly mailboxes: Mailboxes
  readonly teams?: Pick<TeamFiles, 'addressOf' | 'post' | 'has' | 'refuseMessage'>
  /** The current agents. */
  readonly agents: Pick<Agents, 'get' | 'list'>
  /** Returns the agent of a session in this home; undefined if there is no such session. */
  readonly agentOf: (session: string) => Promise<string | undefined>
  /** Returns whether a daemon delivers messages now. */
  readonly attended: () => boolean
  /** Milliseconds since 1970. */
  readonly now?: () => number
}
