import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import path from 'node:path'
import { rememberOwnWrite } from '@cadre/home'
import { codeOf, Refusal } from '../refusal.ts'
import { makeFolder, withPinnedFolder } from '../search/with-pinned-folder.ts'
import type { ConfinedPath } from './confine-path.ts'
import type { DocumentsOfCall } from './documents.ts'
import { requireRegularFile } from './open-file.ts'

export interface Replacement {
  readonly content: string | Uint8Array
  /** The key of the call: if an attempt is interrupted, the next attempt of the same call finds its temporary file by name. */
  readonly key: string
  /** The required current state: anything, no file, or exactly the file that was read. */
  readonly expected: 'anything' | 'nothing' | Stats
  /** The editor that writes the file, if it does. */
  readonly documents?: Pick<DocumentsOfCall, 'write'> | undefined
}

/** Replaces a file atomically: readers see the old or the new content, never a part, even after a crash. The mode is kept. */
export async function replaceFile(
  file: ConfinedPath,
  replacement: Replacement,
): Promise<'created' | 'replaced'> {
  const folder = path.dirname(file.real)
  await makeFolder(file.root, folder)
  return withPinnedFolder(folder, async (base) => {
    const target = path.join(base, path.basename(file.real))
    const draft = path.join(base, draftName(file, replacement.key))
    const before = await existing(target, file)
    const end = before === undefined ? 'created' : 'replaced'
    if (await writtenByEditor(file, replacement, before)) return end
    try {
      await writeDraft(draft, replacement.content, before)
      requireExpected(await existing(target, file), replacement.expected, file)
      // An agent may write its artifact while a command of another agent is watched.
      rememberOwnWrite(file.real, replacement.content)
      await rename(draft, target)
      return end
    } catch (error) {
      await unlink(draft).catch(() => undefined)
      throw error
    }
  })
}

/**
 * Lets the editor write the file, under the same conditions. The editor does not replace it atomically. If the editor fails, nobody else
 * writes the file: it may have changed a part of it, and the person sees its error.
 */
async function writtenByEditor(
  file: ConfinedPath,
  { documents, content, expected }: Replacement,
  before: Stats | undefined,
): Promise<boolean> {
  if (documents === undefined || typeof content !== 'string') return false
  requireExpected(before, expected, file)
  rememberOwnWrite(file.real, content)
  return documents.write(file, content)
}

export async function removeFile(file: ConfinedPath, expected: Stats): Promise<void> {
  await withPinnedFolder(path.dirname(file.real), async (base) => {
    const target = path.join(base, path.basename(file.real))
    requireExpected(await existing(target, file), expected, file)
    rememberOwnWrite(file.real, undefined)
    await unlink(target)
  })
}

/** Another program changed the file between reading and writing. */
export class ConcurrentChange extends Refusal {}

async function existing(target: string, file: ConfinedPath): Promise<Stats | undefined> {
  let stats: Stats
  try {
    stats = await lstat(target)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
  if (stats.isSymbolicLink())
    throw new ConcurrentChange(`${file.shown} was replaced by a symbolic link in the meantime. Try again.`)
  requireRegularFile(stats, file.shown)
  try {
    // Renaming over a file does not need write permission, but a read-only file must be kept.
    await access(target, constants.W_OK)
  } catch {
    throw new Refusal(`${file.shown} is read-only. Choose another file, or ask a person to make it writable.`)
  }
  return stats
}

function requireExpected(
  found: Stats | undefined,
  expected: Replacement['expected'],
  file: ConfinedPath,
): void {
  if (expected === 'anything') return
  if (expected === 'nothing') {
    if (found !== undefined) throw new ConcurrentChange(`${file.shown} already exists. Read it first.`)
    return
  }
  const same =
    found !== undefined &&
    found.ino === expected.ino &&
    found.dev === expected.dev &&
    found.size === expected.size &&
    found.mtimeMs === expected.mtimeMs &&
    found.ctimeMs === expected.ctimeMs
  if (!same)
    throw new ConcurrentChange(`${file.shown} was changed by another program in the meantime. Read it again.`)
}

async function writeDraft(
  draft: string,
  content: string | Uint8Array,
  before: Stats | undefined,
): Promise<void> {
  await using draftFile = disposable(await createDraft(draft))
  const { handle } = draftFile
  await handle.writeFile(content)
  if (before !== undefined) {
    await keepOwner(handle, before)
    // Without set-ID bits, which were meant for the old content.
    await handle.chmod(before.mode & 0o777)
  }
  // Otherwise, the new name might refer to an empty file after a power failure.
  await handle.datasync()
}

const createFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)

async function createDraft(draft: string): Promise<FileHandle> {
  try {
    return await open(draft, createFlags, 0o666)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    await unlink(draft)
    return open(draft, createFlags, 0o666)
  }
}

async function keepOwner(handle: FileHandle, before: Stats): Promise<void> {
  const now = await handle.stat()
  if (now.uid === before.uid && now.gid === before.gid) return
  // Only a privileged process can change the owner; otherwise this user becomes the owner, as with any editor.
  await handle.chown(before.uid, before.gid).catch(() => undefined)
}

function draftName(file: ConfinedPath, key: string): string {
  return `.cadre-${createHash('sha256').update(`${key}\n${file.shown}`).digest('hex').slice(0, 16)}.tmp`
}

function disposable(handle: FileHandle): AsyncDisposable & { readonly handle: FileHandle } {
  return { handle, [Symbol.asyncDispose]: () => handle.close() }
}
