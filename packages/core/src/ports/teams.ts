import type { Work } from './session-spec.ts'

/** A teammate: a session of an agent that resumes whenever a message for it arrives. */
export interface TeamMember {
  readonly name: string
  readonly agent: string
  readonly session: string
  /** The model that the call requested. */
  readonly model?: string
}

export interface NewTeam {
  readonly name: string
  readonly description?: string
  /** The session that leads it. */
  readonly lead: string
  /** The agent of that session. */
  readonly leadAgent: string
  readonly members: readonly TeamMember[]
  /** The idempotency key of the call that creates the team: the same for every attempt. */
  readonly key: string
}

/**
 * Stores teams and the messages of their members. The record of the lead defines the team; this port makes the team visible to others
 * and delivers messages.
 *
 * 1. A message is stored durably before its sender learns that it was sent.
 * 2. `unread` returns messages in the order in which they were stored, until `received` is called for them. After a crash, a session may
 *    receive a message twice and recognises it by its id, `Work.message`.
 */
export interface Teams {
  /** Creates a team. Returns the reason if that is impossible, and nothing if this or an earlier attempt of the same call created it. */
  create(team: NewTeam): Promise<string | undefined>
  /** Removes a team. Does nothing if the team no longer exists. */
  remove(name: string, lead: string): Promise<void>
  /** The session that leads this team, if the team exists. */
  leadOf(name: string): string | undefined
  /** The messages for a session, as a member or as a lead. Each has an id. Must not throw. */
  unread(session: string): readonly Work[]
  /** Marks a message as received, once the session has recorded it. */
  received(session: string, message: string): Promise<void>
  /** Calls `listener` whenever a message for this lead or its members is stored. The returned function unsubscribes. */
  serve(lead: string, listener: () => void): () => void
}
