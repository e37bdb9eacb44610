import path from 'node:path'
import { isObject, leadNames, nameKey, parseJson } from '@cadre/core'
import { listFolder, textOf } from '@cadre/disk'
import { readPlainFile } from '../home/edit-shared-file.ts'
import type { MailMessage } from '../mailboxes/mail-message.ts'

const ending = '.json'

/**
 * Reads unread messages from inboxes of other programs: `inboxes/<member>.json`, with `{version, messages}` or a plain list. Skips invalid
 * messages.
 */
export function readForeignMessages(folder: string): readonly MailMessage[] {
  return listFolder(folder)
    .filter((file) => file.endsWith(ending))
    .sort()
    .flatMap((file) => {
      const to = file.slice(0, -ending.length)
      const owner = leadNames.includes(nameKey(to)) ? 'lead' : to
      return messagesIn(path.join(folder, file)).flatMap((message, index) => {
        if (!isObject(message) || message['read'] === true) return []
        const { from, text, timestamp, summary } = message
        if (typeof text !== 'string' || text === '') return []
        return [
          {
            id: `imported/${to}/${index}`,
            at: timeOf(timestamp),
            from: senderOf(from),
            session: '',
            to: owner,
            text,
            ...(typeof summary === 'string' && summary !== '' && { summary }),
            imported: true as const,
            depth: 0,
          },
        ]
      })
    })
}

function messagesIn(file: string): readonly unknown[] {
  let text: string
  try {
    text = textOf(readPlainFile(file) ?? '')
  } catch {
    return []
  }
  const parsed = parseJson(text)
  if (!parsed.ok) return []
  const { value } = parsed
  if (Array.isArray(value)) return value
  return isObject(value) && Array.isArray(value['messages']) ? value['messages'] : []
}

/** The sender cannot be verified, so its name is quoted and labelled. */
function senderOf(from: unknown): string {
  const program = 'another program'
  return typeof from === 'string' && from !== ''
    ? `${program} (${JSON.stringify(from.slice(0, 100))})`
    : program
}

/** Reads milliseconds or a date string. */
function timeOf(timestamp: unknown): string {
  const ms = typeof timestamp === 'number' ? timestamp : Date.parse(String(timestamp))
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}
