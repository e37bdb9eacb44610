import { appendFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { CadreError, sentenceOf } from '@cadre/core'
import { makeFolder } from '@cadre/disk'
import { type HomeIdentity, readHomeIdentity } from './home-identity.ts'
import { readUserRecord } from './read-user-record.ts'
import { rememberOwnWrite } from './unsandboxed-command.ts'

/** The homes that this user created or adopted on this machine. Stored outside all homes. */
export interface UserHomes {
  /** Returns whether exactly this folder was recorded, not another one at the same path. */
  owns(home: string): boolean
  /** Throws `configuration` if the record cannot be written. */
  add(home: string): void
}

/**
 * `file` is `~/.config/cadre/homes.jsonl`, one line per home. Lines are only appended, so writers need no lock. Unreadable lines are
 * ignored. The file is read on first use.
 */
export function openUserHomes(file: string): UserHomes {
  let known: ReadonlySet<string> | undefined
  return {
    owns(home) {
      const record = readHomeIdentity(home)
      if (record === undefined) return false
      known ??= readRecords(file)
      return known.has(keyOf(record))
    },
    add(home) {
      const record = readHomeIdentity(home)
      if (record === undefined)
        throw new CadreError('not_found', 'the home directory does not exist.', {
          where: home,
        })
      if (readRecords(file).has(keyOf(record))) return
      append(file, `${JSON.stringify(record)}\n`)
      known = undefined
    },
  }
}

/** Returns whether a home is empty or does not exist. */
export function isEmptyHome(home: string): boolean {
  try {
    return readdirSync(home).length === 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function keyOf({ path: at, identity }: HomeIdentity): string {
  return `${identity} ${at}`
}

function readRecords(file: string): ReadonlySet<string> {
  const records = new Set<string>()
  for (const line of (readUserRecord(file) ?? '').split('\n')) {
    const record = parseRecord(line)
    if (record !== undefined) records.add(keyOf(record))
  }
  return records
}

function parseRecord(line: string): HomeIdentity | undefined {
  try {
    const { path: at, identity } = JSON.parse(line) as Partial<HomeIdentity>
    return typeof at === 'string' && typeof identity === 'string' ? { path: at, identity } : undefined
  } catch {
    return undefined
  }
}

function append(file: string, line: string): void {
  try {
    makeFolder(path.dirname(file), () => 0o700)
    const before = readUserRecord(file) ?? ''
    // A line that a crash truncated stays a separate line.
    const text = before === '' || before.endsWith('\n') ? line : `\n${line}`
    appendFileSync(file, text, { mode: 0o600 })
    rememberOwnWrite(file, before + text)
  } catch (error) {
    if (error instanceof CadreError) throw error
    throw new CadreError(
      'configuration',
      `Cadre cannot record that you own a home directory: ${sentenceOf(error)} Make the folder writable, set XDG_CONFIG_HOME to one that is, or use --trust for one command.`,
      { where: file, cause: error },
    )
  }
}
