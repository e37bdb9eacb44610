/**
 * Owns `mailboxes/`: what agents say to each other, and what became of it. Several processes may use it at once.
 *
 * 1. A message is on disk before its sender is told that it is queued. Under one id there is one message.
 * 2. A message has one receipt at most.
 */
import { listFolder } from '@cadre/disk'
import type { Home } from '../home/open-home.ts'
import { appendLine } from '../lines/append-line.ts'
import { FollowedFile } from '../lines/followed-file.ts'
import { lineOfMessage, lineOfReceipt, type MailMessage, type MailReceipt } from './mail-message.ts'
import { mailboxName, mailboxOfFile, receiptsName } from './mailbox-name.ts'

export interface Mailboxes {
  post(message: MailMessage): Promise<'new' | 'known'>
  receive(message: MailMessage, receipt: Omit<MailReceipt, 'id' | 'depth'>): Promise<'new' | 'known'>
  /** Whether a message lies in the mailbox of an agent. */
  has(agent: string, id: string): boolean
  /** How many messages a session has sent. */
  sentBy(session: string): number
  /** How many sessions were begun by messages, one by the next, until this one; 0 for one that a person began. */
  depthOf(session: string): number
}

export function openMailboxes(home: Home): Mailboxes {
  const files = new Map<string, MailboxIndex>()
  const boxes = (): MailboxIndex[] => {
    for (const file of listFolder(home.at('mailboxes'))) {
      const name = mailboxOfFile(file)
      if (name !== undefined && !files.has(name)) files.set(name, new MailboxIndex(home, name))
    }
    const all = [...files.values()]
    for (const box of all) box.refresh()
    return all
  }
  return {
    post: (message) => appendLine(home, 'mailboxes', mailboxName(message.to), lineOfMessage(message)),
    receive({ id, to, depth }, receipt) {
      const line = lineOfReceipt({ id, depth, ...receipt })
      return appendLine(home, 'mailboxes', receiptsName(mailboxName(to)), line)
    },
    has(agent, id) {
      boxes()
      return files.get(mailboxName(agent))?.ids.has(id) === true
    },
    sentBy: (session) => boxes().reduce((sum, box) => sum + (box.sent.get(session) ?? 0), 0),
    depthOf: (session) => Math.max(0, ...boxes().map((box) => box.began.get(session) ?? 0)),
  }
}

/** What is known of one mailbox: read once, then followed. */
class MailboxIndex {
  readonly ids = new Set<string>()
  /** By session: how many messages it sent here. */
  readonly sent = new Map<string, number>()
  /** By session that was begun by a message of this mailbox: how deep it lies. */
  readonly began = new Map<string, number>()
  private readonly messages: FollowedFile
  private readonly receipts: FollowedFile

  constructor(home: Home, name: string) {
    this.messages = new FollowedFile(home.at('mailboxes', `${name}.jsonl`), {
      take: ({ id, session }) => {
        if (typeof id !== 'string' || typeof session !== 'string' || this.ids.has(id)) return
        this.ids.add(id)
        this.sent.set(session, (this.sent.get(session) ?? 0) + 1)
      },
      forget: () => {
        this.ids.clear()
        this.sent.clear()
      },
    })
    this.receipts = new FollowedFile(home.at('mailboxes', `${receiptsName(name)}.jsonl`), {
      take: ({ delivered_to: session, began, depth }) => {
        if (typeof session === 'string' && began === true && typeof depth === 'number')
          this.began.set(session, depth)
      },
      forget: () => this.began.clear(),
    })
  }

  refresh(): void {
    this.messages.look()
    this.receipts.look()
  }
}
