import { createInterface } from 'node:readline'
import type { Io } from '../../io.ts'
import { continuedLine } from './continued-line.ts'
import type { Input } from './input.ts'

/**
 * One message per line, from standard input without a terminal. An empty line or the end of input ends it. Lines mention no
 * files, because they may not be from the person.
 */
export function createLineInput(io: Io): Input {
  const lines = createInterface({ input: io.stdin, terminal: false })[Symbol.asyncIterator]()
  return {
    async next() {
      let said = ''
      for (;;) {
        const { done, value = '' } = await lines.next()
        const { text, goesOn } = continuedLine(value)
        said += text
        if (done || !goesOn) return said.trim() === '' ? undefined : { text: said, mentions: [] }
        said += '\n'
      }
    },
    sent() {},
    close() {},
  }
}
