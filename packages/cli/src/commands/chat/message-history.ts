/**
 * Owns `storage/chat-history` in the home: messages of earlier chats, for the arrow keys. One JSON string per line, oldest
 * first, readable only by its owner, at most 500. Read and write errors are ignored. A link in its place is neither read
 * nor written, because the home may be part of a project.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { parseJson } from '@cadre/core'
import type { Home } from '@cadre/home'
import { cleanText } from '../../output/clean-text.ts'

export interface MessageHistory {
  /** Newest first. */
  messages(): readonly string[]
  add(message: string): void
}

const maxMessages = 500
const maxLength = 4_000
const maxBytes = 8_000_000
const noFollowFlag = constants.O_NOFOLLOW ?? 0

export function openMessageHistory(home: Home): MessageHistory {
  const file = home.at('storage', 'chat-history')
  let kept = read(file)
  return {
    messages: () => kept.toReversed(),
    add(message) {
      // As in shells, a leading space excludes it.
      if (message.startsWith(' ') || message.length > maxLength || message === kept.at(-1)) return
      kept = [...kept, message].slice(-maxMessages)
      attempt(() => {
        home.folder('storage')
        append(file, message)
        // Other chats of this home also write, so the file is read again.
        const all = read(file, Number.POSITIVE_INFINITY)
        if (all.length > maxMessages) replace(file, all.slice(-maxMessages))
      })
    },
  }
}

function read(file: string, count = maxMessages): string[] {
  const text = attempt(() => {
    const descriptor = openSync(file, constants.O_RDONLY | noFollowFlag | (constants.O_NONBLOCK ?? 0))
    try {
      const stats = fstatSync(descriptor)
      return stats.isFile() && stats.size <= maxBytes ? readFileSync(descriptor, 'utf8') : ''
    } finally {
      closeSync(descriptor)
    }
  })
  const messages = (text ?? '').split('\n').flatMap((line) => {
    const parsed = parseJson(line)
    return parsed.ok && typeof parsed.value === 'string' ? [cleanText(parsed.value.slice(0, maxLength))] : []
  })
  return messages.slice(-Math.min(count, messages.length))
}

function append(file: string, message: string): void {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | noFollowFlag
  const descriptor = openSync(file, flags, 0o600)
  try {
    if (!fstatSync(descriptor).isFile()) return
    fchmodSync(descriptor, 0o600)
    writeSync(descriptor, `${JSON.stringify(message)}\n`)
  } finally {
    closeSync(descriptor)
  }
}

function replace(file: string, messages: readonly string[]): void {
  const next = `${file}.${process.pid}`
  rmSync(next, { force: true })
  const text = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
  writeFileSync(next, text, { mode: 0o600, flag: 'wx' })
  renameSync(next, file)
}

function attempt<T>(act: () => T): T | undefined {
  try {
    return act()
  } catch {
    return undefined
  }
}
