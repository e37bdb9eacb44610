import {
  close,
  closeSync,
  fstatSync,
  fsync,
  open,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs'

/** Small things with files that the system call does not do by itself. */

/** Of files that are made in a home: they hold what people and agents say. A file that is there keeps its mode. */
export const ownerOnly = 0o600

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException | undefined)?.code ?? '')
}

/** What is in a folder; nothing when it is not there. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

/** Writes all of it: one system call may write less than it was given. */
export function writeWhole(file: number, bytes: Buffer, position: number): void {
  let done = 0
  while (done < bytes.length) done += writeSync(file, bytes, done, bytes.length - done, position + done)
}

/** Bytes that are appended to a file nobody else depends on. */
export function appendBytes(path: string, bytes: Buffer): void {
  const file = openSync(path, 'a', ownerOnly)
  try {
    writeWhole(file, bytes, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

/** Puts a file, or the names in a folder, where a power loss does not reach them. A file that is gone needs nothing. */
export function syncPath(path: string, done: (error: Error | null) => void): void {
  open(path, 'r', (openError, file) => {
    if (openError) return done(openError.code === 'ENOENT' ? null : openError)
    fsync(file, (syncError) => close(file, (closeError) => done(syncError ?? closeError)))
  })
}

/** All of them, a few at a time: a sync holds one of the process's few file threads. */
export function syncPaths(paths: readonly string[], done: (error: Error | null) => void): void {
  let next = 0
  let open = 0
  let failure: Error | null = null
  const start = () => {
    while (open < 3 && next < paths.length) {
      open++
      syncPath(paths[next++] ?? '', (error) => {
        open--
        failure ??= error
        if (open === 0 && next >= paths.length) done(failure)
        else start()
      })
    }
  }
  if (paths.length === 0) done(null)
  else start()
}
