/**
 * Owns the processing of emails in a Maildir. Called only by `createMailChannel`.
 *
 * 1. An email leaves `new/` after it is on disk in the inbox; after a crash in between it is received again, and the inbox
 *    recognises it.
 * 2. The folder is scanned once at a time; a change during a scan causes another one.
 * 3. Only regular files are read, links are not followed, and no mail replaces another in `cur/`.
 */
import { constants, existsSync, type FSWatcher, mkdirSync, readdirSync, renameSync, watch } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { CadreError, sentenceOf } from '@cadre/core'
import { isFolder } from '@cadre/disk'
import type { HandleMail } from './mail-intake.ts'
import type { MailSource } from './mail-source.ts'
import { maxBytes, type RawMail } from './read-mail.ts'

export interface MaildirOptions {
  readonly folder: string
  readonly take: HandleMail
  /** Receives the current problem; undefined if there is none. */
  readonly tell: (problem: string | undefined) => void
  /** The poll interval where the system does not report changes. */
  readonly pollMs?: number | undefined
}

const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

export function openMaildir({ folder, take, tell, pollMs = 10_000 }: MaildirOptions): MailSource {
  const incoming = path.join(folder, 'new')
  const seen = path.join(folder, 'cur')
  let watcher: FSWatcher | undefined
  let poll: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let isChanged = false
  let isStopped = false

  return {
    async start() {
      if (!isFolder(incoming))
        throw new CadreError(
          'configuration',
          `${incoming} is not a folder. Set maildir to the path of a Maildir.`,
          {
            where: 'config.yaml: channels.mail.in.maildir',
          },
        )
      mkdirSync(seen, { recursive: true })
      try {
        watcher = watch(incoming, () => void look())
        // Polling continues without it.
        watcher.on('error', () => watcher?.close())
      } catch (error) {
        tell(
          `Cadre checks this folder every ${pollMs / 1_000} seconds, because it cannot watch it: ${sentenceOf(error)}`,
        )
      }
      poll = setInterval(() => void look(), pollMs).unref()
      await look()
    },
    async stop() {
      isStopped = true
      watcher?.close()
      clearInterval(poll)
      await looking
    },
  }

  function look(): Promise<void> {
    isChanged = true
    looking ??= lookOnce().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lookOnce(): Promise<void> {
    while (isChanged && !isStopped) {
      isChanged = false
      try {
        const faults: string[] = []
        for (const name of readdirSync(incoming).sort()) {
          if (isStopped) return
          if (name.startsWith('.')) continue
          const fault = await takeFile(name)
          if (fault !== undefined) faults.push(fault)
        }
        tell(faults[0])
      } catch (error) {
        tell(`Cannot read the Maildir: ${sentenceOf(error)}`)
      }
    }
  }

  /** Resolves with the problem, for a person. */
  async function takeFile(name: string): Promise<string | undefined> {
    try {
      const mail = await read(path.join(incoming, name))
      if (mail === undefined)
        return `${JSON.stringify(name)} in ${incoming} is not a regular file. Remove it.`
      if (!(await take(mail))) return undefined
      renameSync(path.join(incoming, name), freeName(seen, name))
      return undefined
    } catch (error) {
      // Another program that handles this Maildir was faster.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      return `Cannot read ${JSON.stringify(name)} in ${incoming}: ${sentenceOf(error)}`
    }
  }
}

/** Resolves with undefined if it is not a regular file. */
async function read(file: string): Promise<RawMail | undefined> {
  const handle = await open(file, flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP' || error.code === 'ENXIO') return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) return undefined
    const bytes = Buffer.alloc(Math.min(stats.size, maxBytes))
    let length = 0
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return { bytes: bytes.subarray(0, length), size: stats.size, at: stats.mtimeMs }
  } finally {
    await handle.close()
  }
}

/** Returns its name among the seen emails: with the flag, and never that of another email. */
function freeName(folder: string, name: string): string {
  const bare = name.replace(/:2,[A-Za-z]*$/, '')
  for (let n = 1; ; n++) {
    const file = path.join(folder, `${bare}${n === 1 ? '' : `_${n}`}:2,S`)
    if (!existsSync(file)) return file
  }
}
