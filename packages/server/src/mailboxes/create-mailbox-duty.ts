/**
 * Delivers the messages in `mailboxes/*.jsonl`. The daemon calls one method at a time.
 *
 * 1. Each message is delivered once, in the order of its mailbox, and has one receipt.
 * 2. A message that cannot be delivered now waits, and so do later ones. Other mailboxes continue.
 */
import type { Problem } from '@cadre/channels'
import { isObject, messageOf, parseJson, sentenceOf } from '@cadre/core'
import { hasCode, listFolder, readRegularFile } from '@cadre/disk'
import {
  type LineReader,
  type MailMessage,
  mailboxName,
  mailboxOfFile,
  messageFromLine,
  openLineReader,
  openMailboxes,
  type ParsedLine,
  type UnreadableLine,
} from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import { createRetryTimer } from '../retry-timer.ts'
import { deliverMessage } from './deliver-message.ts'

interface Mailbox {
  readonly name: string
  readonly reader: LineReader
  /** The last session that a message started. */
  last: string | undefined
  /** True if the next message may have been delivered already, after a crash or a failure. */
  inDoubt: boolean
  waits: Omit<Problem, 'file'> | undefined
}

const about = 'mailboxes'
const concurrency = 20

export function createMailboxDuty(context: DaemonContext): Duty {
  const { home, agents, note, problems, clock } = context
  const mailboxes = openMailboxes(home)
  const open = new Map<string, Mailbox>()
  const isDue = createRetryTimer()

  return {
    name: 'mailboxes',
    folders: ['mailboxes'],
    start: () => lookAt(names()),
    changed: (files) =>
      lookAt(files.flatMap((file) => mailboxOfFile(file.replace(/^mailboxes\//, '')) ?? [])),
    async tick(now) {
      const waiting = [...open.values()].filter(({ waits }) => waits !== undefined).map(({ name }) => name)
      if (waiting.length > 0 && isDue(now)) await lookAt(waiting)
    },
  }

  function names(): string[] {
    return listFolder(home.at('mailboxes')).flatMap((file) => mailboxOfFile(file) ?? [])
  }

  async function lookAt(names: readonly string[]): Promise<void> {
    for (const name of names) {
      try {
        const box = open.get(name) ?? openBox(name)
        await read(box)
        problems.report(about, fileOf(name), box.waits === undefined ? [] : [box.waits])
      } catch (error) {
        problems.report(about, fileOf(name), [{ severity: 'error', message: messageOf(error) }])
      }
    }
  }

  function openBox(name: string): Mailbox {
    const reader = openLineReader(home, 'mailboxes', name)
    const box: Mailbox = { name, reader, last: lastBegun(name), inDoubt: true, waits: undefined }
    open.set(name, box)
    return box
  }

  async function read(box: Mailbox): Promise<void> {
    box.waits = undefined
    for (let items = box.reader.take(concurrency); items.length > 0; items = box.reader.take(concurrency)) {
      for (const item of items) {
        try {
          await handle(box, item)
        } catch (error) {
          const message = `Cannot deliver this message, so it and the messages after it stay queued: ${sentenceOf(error)}`
          box.waits = { line: item.number, severity: 'error', code: 'waiting', message }
          box.inDoubt = true
          return
        }
        box.reader.done(item)
        box.inDoubt = false
      }
    }
  }

  async function handle(box: Mailbox, item: ParsedLine | UnreadableLine): Promise<void> {
    const place = `${fileOf(box.name)}:${item.number}`
    const message = item.kind === 'line' ? understand(box, item) : undefined
    if (message === undefined) {
      const reason = item.kind === 'unreadable' ? item.reason : 'the message has no text'
      note({ type: 'message.unreadable', message: `${place}: Cadre skipped this line: ${reason}.` })
      return
    }
    const { last, inDoubt } = box
    const delivery = await deliverMessage({ message, last, inDoubt }, context)
    const at = new Date(clock.now()).toISOString()
    await mailboxes.receive(message, { at, ...delivery })
    if (delivery.began) box.last = delivery.deliveredTo
    const { from, to, id, session } = message
    const facts = { id, from, to, ...(session && { from_session: session }) }
    if (delivery.deliveredTo === undefined) {
      const text = `Cannot deliver the message from ${from} to ${to}: ${delivery.undeliverable}`
      note({ type: 'message.returned', message: text, ...facts })
    } else {
      const text = `A message from ${from} was delivered to ${to} (session ${delivery.deliveredTo}).`
      note({ type: 'message.delivered', message: text, ...facts, session: delivery.deliveredTo })
    }
  }

  function understand({ name }: Mailbox, { id, value }: ParsedLine): MailMessage | undefined {
    const owner = agents.list().find((agent) => mailboxName(agent.name) === name)?.name ?? name
    return messageFromLine(value, { id, to: owner })
  }

  function lastBegun(name: string): string | undefined {
    return readStartedSessions(home.at('mailboxes', `${name}.receipts.jsonl`)).at(-1)
  }
}

function fileOf(name: string): string {
  return `mailboxes/${name}.jsonl`
}

function readStartedSessions(place: string): string[] {
  let text: string
  try {
    text = readRegularFile(place).toString('utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
  return text.split('\n').flatMap((line) => {
    const parsed = parseJson(line)
    if (!parsed.ok || !isObject(parsed.value)) return []
    const { delivered_to: session, began } = parsed.value
    return typeof session === 'string' && began === true ? [session] : []
  })
}
