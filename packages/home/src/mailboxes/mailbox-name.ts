import { createHash } from 'node:crypto'
import { nameKey } from '@cadre/core'
import { lineFileBaseName } from '../lines/line-file-name.ts'

const receipts = '.receipts'

/** The name of an agent's file in `mailboxes/`, without extension. Agent names may be invalid as file names. */
export function mailboxName(agent: string): string {
  const key = nameKey(agent)
  if (lineFileBaseName(`${key}.jsonl`) !== undefined && !key.endsWith(receipts)) return key
  const slug = key
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40)
  return `${slug || 'agent'}-${createHash('sha256').update(key).digest('hex').slice(0, 8)}`
}

export function receiptsName(mailbox: string): string {
  return `${mailbox}${receipts}`
}

/** Returns the name of a file in `mailboxes/`, if it contains messages. */
export function mailboxOfFile(file: string): string | undefined {
  const name = lineFileBaseName(file)
  return name?.endsWith(receipts) ? undefined : name
}
