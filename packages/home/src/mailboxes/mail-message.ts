import type { JsonObject } from '@cadre/core'

/** What one agent says to another, as it lies in `mailboxes/<agent>.jsonl`. */
export interface MailMessage {
  /** Of the call that sent it. */
  readonly id: string
  readonly at: string
  /** The agent that wrote it, and the session in which it did; empty when a person wrote it by hand. */
  readonly from: string
  readonly session: string
  /** The agent it is for. */
  readonly to: string
  /** The one session it is for; absent: whichever the agent has for messages. */
  readonly toSession?: string
  readonly text: string
  readonly summary?: string
  /** It was found in an inbox of another program. Nobody knows who wrote it. */
  readonly imported?: true
  /** How many sessions were begun by messages, one by the next, before this one. */
  readonly depth: number
}

/** What became of a message, as it lies in `mailboxes/<agent>.receipts.jsonl`. */
export interface MailReceipt {
  readonly id: string
  readonly at: string
  /** The session that was told. */
  readonly deliveredTo?: string
  /** The session was begun with it. */
  readonly began?: boolean
  /** Why nobody was told. */
  readonly undeliverable?: string
  readonly depth: number
}

export function lineOfMessage(message: MailMessage): JsonObject & { readonly id: string } {
  const { toSession, summary, ...rest } = message
  return { ...rest, ...(toSession && { to_session: toSession }), ...(summary && { summary }) }
}

/**
 * What a line of a mailbox says; nothing when it says nothing. A person may write one by hand: `{"text": "…"}` is enough. `known`
 * has the id of the line, and whose mailbox it is.
 */
export function messageOfLine(
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

export function lineOfReceipt({ deliveredTo, ...rest }: MailReceipt): JsonObject & { readonly id: string } {
  return { ...rest, ...(deliveredTo && { delivered_to: deliveredTo }) } as JsonObject & {
    readonly id: string
  }
}
