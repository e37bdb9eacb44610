import type { JsonObject } from '@cadre/core'
import type { Home } from '../home/open-home.ts'
import { FollowedFile } from '../lines/followed-file.ts'
import { type MailMessage, messageOfLine } from './mail-message.ts'
import { receiptsName } from './mailbox-name.ts'

/** What is known of one mailbox, a file of messages and one of receipts: read once, then followed. Texts are not kept. */
export class Mailbox {
  readonly ids = new Set<string>()
  /** By session: how many messages it sent here. */
  readonly sent = new Map<string, number>()
  /** By session that was begun by a message of this mailbox: how deep it lies. */
  readonly began = new Map<string, number>()
  protected readonly received = new Set<string>()
  private readonly messages: FollowedFile
  private readonly receipts: FollowedFile

  constructor(home: Home, folder: string, name: string) {
    this.messages = new FollowedFile(home.at(folder, `${name}.jsonl`), {
      take: (line, { start }) => {
        // A person may leave the id out.
        const id = typeof line['id'] === 'string' && line['id'] !== '' ? line['id'] : `line-${start}`
        if (this.ids.has(id)) return
        this.ids.add(id)
        const message = messageOfLine(line as JsonObject, { id, to: name })
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

  /** The messages come again. */
  protected forget(): void {
    this.ids.clear()
    this.sent.clear()
  }
}
