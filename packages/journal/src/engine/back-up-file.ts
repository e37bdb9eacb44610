import { constants, copyFileSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { appendBytes, hasCode } from '@cadre/disk'

/**
 * Content of a session file is never deleted. Content that cannot stay in the file is kept in a new file beside it. The session file stays
 * in place, so that it exists at every moment. Each function returns the new name.
 */

/** Keeps the truncated end of a file. Several ends are appended to one file. */
export function backUpTruncated(path: string, bytes: Buffer): string {
  const beside = `${path}.torn`
  appendBytes(beside, bytes)
  return beside
}

/** Keeps a file with a person's edit that cannot be applied. `name` is the session file, if `path` is another name of it. */
export function backUpEdit(path: string, name = path): string {
  return keepCopy(path, (number) => `${name}.edit-${number}`)
}

/** Keeps a file before it is rewritten in Cadre's format. */
export function backUpOriginal(path: string): string {
  return keepCopy(path, (number) => (number === 1 ? `${path}.orig` : `${path}.orig-${number}`))
}

/** Moves something that is not a file. */
export function moveAside(path: string): string {
  for (let number = 1; ; number++) {
    const beside = `${path}.edit-${number}`
    if (lstatSync(beside, { throwIfNoEntry: false }) !== undefined) continue
    renameSync(path, beside)
    return beside
  }
}

function keepCopy(path: string, name: (number: number) => string): string {
  for (let number = 1; ; number++) {
    const beside = name(number)
    try {
      copyFileSync(path, beside, constants.COPYFILE_EXCL)
      return beside
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      if (readFileSync(beside).equals(readFileSync(path))) return beside
    }
  }
}
