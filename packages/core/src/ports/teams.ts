import type { Work } from './session-spec.ts'

/** A teammate: one session of an agent, which wakes whenever a message arrives for it. */
export interface TeamMember {
  readonly name: string
  readonly agent: string
  readonly session: string
  /** As the call asked for it. */
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
  /** Of the call that creates it: the same on every try. */
  readonly key: string
}

/**
 * Where teams and the messages of their members are kept. What a team consists of is in the record of its lead; this port makes it
 * visible to others, and carries messages.
 *
 * 1. A message is stored where a crash cannot lose it before its sender learns that it was sent.
 * 2. `unread` gives messages in the order in which they were stored, until `received` was called for them. A session may be given one
 *    twice after a crash: it recognises the id, `Work.message`.
 */
export interface Teams {
  /** Why the team cannot be created; nothing when it was, by this try or an earlier one of the same call. */
  create(team: NewTeam): Promise<string | undefined>
  /** Removes a team. Nothing happens when it is not there any more. */
  remove(name: string, lead: string): Promise<void>
  /** The session that leads this team, if there is such a team. */
  leadOf(name: string): string | undefined
  /** The messages for a session, as a member or as a lead. Each has an id. Must not throw. */
  unread(session: string): readonly Work[]
  /** The session has recorded this message. */
  received(session: string, message: string): Promise<void>
  /** Calls `listener` whenever a message for this lead or its members was stored. The returned function ends that. */
  serve(lead: string, listener: () => void): () => void
}
