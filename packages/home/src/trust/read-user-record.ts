import { readFileSync, statSync } from 'node:fs'
import { CadreError, sentenceOf } from '@cadre/core'

/**
 * Reads a file in the user's settings folder that decides what may run, or returns `undefined`. Throws `configuration` if it cannot be
 * trusted.
 */
export function readUserRecord(file: string): string | undefined {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  // Anyone who can write this file can run programs as this user.
  if (process.platform !== 'win32' && (stats.mode & 0o022) !== 0) {
    throw new CadreError(
      'configuration',
      `other users can write this file, so Cadre does not use it. Inspect it, then run "chmod go-w ${file}".`,
      { where: file },
    )
  }
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CadreError('configuration', `cannot read this file: ${sentenceOf(error)}`, {
      where: file,
      cause: error,
    })
  }
}
