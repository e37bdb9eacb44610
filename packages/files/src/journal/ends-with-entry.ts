import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegular } from '../engine/open-regular.ts'

/** Whether the last entry of a session file was written by cadre, whole: people do not write the mark at its end. */
export function endsWithEntry(path: string): boolean {
  const file = openRegular(path)
  try {
    const { size } = fstatSync(file)
    const tail = Buffer.alloc(Math.min(size, 40))
    readSync(file, tail, 0, tail.length, size - tail.length)
    return /\n {4}# end \d+\n$/.test(tail.toString('latin1'))
  } finally {
    closeSync(file)
  }
}
