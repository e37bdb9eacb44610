import { constants, copyFileSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { appendBytes, hasCode } from '@cadre/disk'

/**
 * Nothing that stood in a session file is thrown away: what cannot stay there is kept beside it, under a name that was
 * not used yet. The file itself stays where it is, so that there is one at every moment. Each function returns the name.
 */

/** The cut end of a file. Several are kept one after the other. */
export function keepTorn(path: string, bytes: Buffer): string {
  const beside = `${path}.torn`
  appendBytes(beside, bytes)
  return beside
}

/** A file that a person changed and that cannot be read any more. */
export function keepEdit(path: string): string {
  return keepCopy(path, (number) => `${path}.edit-${number}`)
}

/** A file before it is written in another form. */
export function keepOriginal(path: string): string {
  return keepCopy(path, (number) => (number === 1 ? `${path}.orig` : `${path}.orig-${number}`))
}

/** Something that is no file. */
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
