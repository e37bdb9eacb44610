import type { JsonObject } from '@cadre/core'
import type { Home } from '../home/home.ts'
import { FollowedFile } from '../lines/followed-file.ts'
import { type MailMessage, messageFromLine } from './mail-message.ts'
import { receiptsName } from './mailbox-name.ts'

/**
 * An index of one mailbox, which is a file of messages and a file of receipts. Read once, then followed. Does not keep texts in memory.
 */
export class Mailbox {
  readonly ids = new Set<string>()
  /** The number of messages in this mailbox, by sending session. */
  readonly sent = new Map<string, number>()
  /** The depth of sessions that a message of this mailbox started. */
  readonly began = new Map<string, number>()
  protected readonly received = new Set<string>()
  private readonly messages: FollowedFile
  private readonly receipts: FollowedFile

  constructor(home: Home, folder: string, name: string) {
    this.messages = new FollowedFile(home.at(folder, `${name}.jsonl`), {
      take: (line, { start }) => {
        // A person may omit the id.
        const id = typeof line['id'] === 'string' && line['id'] !== '' ? line['id'] : `line-${start}`
        if (this.ids.has(id)) return
        this.ids.add(id)
        const message = messageFromLine(line as JsonObject, { id, to: name })
        if (message !== undefined) this.add(message)
      },
      forget: () => this.forget(),
    })
    this.receipts = new FollowedFile(home.at(folder, `${receiptsName(name)}.jsonl`), {
      take: ({ id, delivered_to: session, began, depth }) => {
        if (typeof id === 'string') this.receive(id)
        if (typeof session === 'string' && began === true && typeof depth === 'number')
          this.began.set(session, depth)
      },
      forget: () => {
        this.received.clear()
        this.began.clear()
      },
    })
  }

  refresh(): void {
    this.messages.look()
    this.receipts.look()
  }

  receive(id: string): void {
    this.received.add(id)
  }

  protected add({ session }: MailMessage): void {
    this.sent.set(session, (this.sent.get(session) ?? 0) + 1)
  }

  /** The messages are read again. */
  protected forget(): void {
    this.ids.clear()
    this.sent.clear()
  }
}
