/**
 * Owns `mailboxes/`, with the messages between agents and their receipts. Several processes may use it at once.
 *
 * 1. A message is on disk before its sender learns that it is queued. There is one message per id.
 * 2. A message has at most one receipt.
 */
import { listFolder } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { appendLine } from '../lines/append-line.ts'
import { type MailMessage, type MailReceipt, messageToLine, receiptToLine } from './mail-message.ts'
import { Mailbox } from './mailbox.ts'
import { mailboxName, mailboxOfFile, receiptsName } from './mailbox-name.ts'

export interface Mailboxes {
  post(message: MailMessage): Promise<'new' | 'known'>
  receive(message: MailMessage, receipt: Omit<MailReceipt, 'id' | 'depth'>): Promise<'new' | 'known'>
  /** Returns whether a message is in the mailbox of an agent. */
  has(agent: string, id: string): boolean
  /** How many messages a session has sent. */
  sentBy(session: string): number
  /** How many sessions in a chain were started by messages, up to this one. 0 if a person started it. */
  depthOf(session: string): number
}

export function openMailboxes(home: Home): Mailboxes {
  const files = new Map<string, Mailbox>()
  const boxes = (): Mailbox[] => {
    for (const file of listFolder(home.at('mailboxes'))) {
      const name = mailboxOfFile(file)
      if (name !== undefined && !files.has(name)) files.set(name, new Mailbox(home, 'mailboxes', name))
    }
    const all = [...files.values()]
    for (const box of all) box.refresh()
    return all
  }
  return {
    post: (message) => appendLine(home, 'mailboxes', mailboxName(message.to), messageToLine(message)),
    receive({ id, to, depth }, receipt) {
      const line = receiptToLine({ id, depth, ...receipt })
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
