import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'
import { CadreError } from '@cadre/core'

/** Opens a file to read it. What is no file is refused: reading a pipe would hold up the whole process for ever. */
export function openRegular(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new CadreError('configuration', 'This must be a file; put one in its place, or remove it.', {
    where: path,
  })
}

export function readRegular(path: string): Buffer {
  const file = openRegular(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
