import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegularFile } from '@cadre/disk'

/** Returns whether Cadre wrote the last entry of a session file completely. People do not write the marker at its end. */
export function endsWithEntry(path: string): boolean {
  const file = openRegularFile(path)
  try {
    const { size } = fstatSync(file)
    const tail = Buffer.alloc(Math.min(size, 40))
    readSync(file, tail, 0, tail.length, size - tail.length)
    return /\n {4}# end \d+\n$/.test(tail.toString('latin1'))
  } finally {
    closeSync(file)
  }
}
