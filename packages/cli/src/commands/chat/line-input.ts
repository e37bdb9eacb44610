import { createInterface } from 'node:readline'
import type { Io } from '../../io.ts'
import { continuedLine } from './continued-line.ts'
import type { Input } from './input.ts'

/** A message a line, from whatever is not a keyboard. An empty line ends it, as the end does. Lines mention no files: they may not be the person's. */
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
