import type { JsonObject } from '@cadre/core'

/** A message between agents, as stored in `mailboxes/<agent>.jsonl`. */
export interface MailMessage {
  /** The id of the call that sent it. */
  readonly id: string
  readonly at: string
  /** The agent that wrote it, and its session. Empty if a person wrote it by hand. */
  readonly from: string
  readonly session: string
  /** The agent it is for. */
  readonly to: string
  /** The receiving session. Absent: the session that the agent has for messages. */
  readonly toSession?: string
  readonly text: string
  readonly summary?: string
  /** Set if it was imported from another program's inbox, so its author is unknown. */
  readonly imported?: true
  /** How many sessions in a chain were started by messages before this one. */
  readonly depth: number
}

/** The result of a message, as stored in `mailboxes/<agent>.receipts.jsonl`. */
export interface MailReceipt {
  readonly id: string
  readonly at: string
  /** The session that received it. */
  readonly deliveredTo?: string
  /** True if the message started the session. */
  readonly began?: boolean
  /** The reason why it was not delivered. */
  readonly undeliverable?: string
  readonly depth: number
}

export function messageToLine(message: MailMessage): JsonObject & { readonly id: string } {
  const { toSession, summary, ...rest } = message
  return { ...rest, ...(toSession && { to_session: toSession }), ...(summary && { summary }) }
}

/**
 * Reads a message from a line of a mailbox, or returns `undefined` if it has no text. A person may write one by hand: `{"text": "…"}` is
 * enough. `known`: the id of the line and the owner of the mailbox.
 */
export function messageFromLine(
  line: JsonObject,
  known: { readonly id: string; readonly to: string },
): MailMessage | undefined {
  const textAt = (key: string) => {
    const value = line[key]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const [text, toSession, summary] = [textAt('text'), textAt('to_session'), textAt('summary')]
  if (text === undefined) return undefined
  const { depth } = line
  return {
    id: known.id,
    at: textAt('at') ?? '',
    from: textAt('from') ?? 'a person',
    session: textAt('session') ?? '',
    to: textAt('to') ?? known.to,
    ...(toSession !== undefined && { toSession }),
    text,
    ...(summary !== undefined && { summary }),
    ...(line['imported'] === true && { imported: true }),
    depth: typeof depth === 'number' ? depth : 0,
  }
}

export function receiptToLine({ deliveredTo, ...rest }: MailReceipt): JsonObject & { readonly id: string } {
  return { ...rest, ...(deliveredTo && { delivered_to: deliveredTo }) } as JsonObject & {
    readonly id: string
  }
}
