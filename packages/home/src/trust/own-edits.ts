import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readRegularFile } from '@cadre/disk'
import type { Home } from '../home/home.ts'
import { daemonLeaseName } from '../leases/daemon-lease.ts'

/**
 * Files that people write, without temporary files of editors. Sessions, inboxes and approvals are not among them: they have their own
 * notes, and a decision is reported with the person who made it.
 */
const handWritten = [
  /^tasks\/(?!approvals\.task\.md$)[^/]+\.task\.md$/,
  /^(?:templates|agents)\/[^/]+\.agent\.(?:ya?ml|md)$/,
  /^memory\/[^/.][^/]*\.md$/,
  /^inbox\/routes\.yaml$/,
  /^config\.yaml$/,
  /^storage\/[^/]+\.yaml$/,
]

/** Returns whether people write this file of a home, such as `tasks/a.task.md`. */
export function isHandWritten(name: string): boolean {
  return handWritten.some((pattern) => pattern.test(name))
}

/**
 * Tells the daemon that watches this home that Cadre, not a person, gives a file this content or removes it. Call it before the
 * change, so that the daemon does not see the change first. Does nothing when no daemon is running.
 */
export function rememberEdit(file: string, content: string | Uint8Array | undefined): void {
  const home = [path.dirname(file), path.dirname(path.dirname(file))].find((folder) =>
    existsSync(path.join(folder, 'storage', 'leases', `${daemonLeaseName}.lease`)),
  )
  if (home === undefined || !isHandWritten(nameIn(home, file))) return
  const mark = markOf(home, nameIn(home, file))
  try {
    mkdirSync(path.dirname(mark), { recursive: true, mode: 0o700 })
    writeFileSync(`${mark}.${process.pid}.tmp`, digestOf(content), { mode: 0o600 })
    renameSync(`${mark}.${process.pid}.tmp`, mark)
  } catch {
    // The history then names the wrong author, but the edit must not fail.
  }
}

/** Returns whether a file has the content that a Cadre process wrote. Distinguishes people from Cadre; not a safety check. */
export function wasEditedByCadre(home: Home, name: string): boolean {
  const mark = contentOf(markOf(home.path, name))
  return mark !== undefined && mark.toString('utf8') === digestOf(contentOf(home.at(name)))
}

export function digestOf(content: string | Uint8Array | undefined): string {
  return content === undefined ? 'nothing' : createHash('sha256').update(content).digest('base64')
}

function nameIn(home: string, file: string): string {
  return path.relative(home, file).split(path.sep).join('/')
}

function markOf(home: string, name: string): string {
  return path.join(home, 'storage', 'edits', createHash('sha256').update(name).digest('hex').slice(0, 24))
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readRegularFile(file)
  } catch {
    return undefined
  }
}
