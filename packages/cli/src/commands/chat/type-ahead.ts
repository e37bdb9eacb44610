import type { Interface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Keyboard } from './keyboard.ts'

/** Reads the keyboard while there is no prompt. Nothing is shown and nothing is sent; Ctrl-C is the signal it always is. */
export interface TypeAhead {
  take(): void
  /** Lets go of the keyboard when everything is read that was typed until now. */
  letGo(): Promise<void>
  /** Lets go at once, and gives what was typed: the draft of the next message. */
  end(): string
}

export function createTypeAhead(keyboard: Keyboard): TypeAhead {
  let reader: Interface | undefined
  let text = ''

  function close(): void {
    text += reader?.line ?? ''
    reader?.close()
    reader = undefined
  }

  return {
    take() {
      if (reader !== undefined) return
      reader = keyboard.open({
        output: new Writable({ write: (_chunk, _encoding, done) => done() }),
        // On an empty line it would end the reader.
        ignored: '\x04',
        ready(opened) {
          opened.on('line', (line) => {
            text += `${line}\n`
          })
          opened.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
        },
      })
    },
    async letGo() {
      if (reader === undefined) return
      // What the terminal has sent by now is read before the second of these.
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
      close()
    },
    end() {
      close()
      const draft = text.replace(/^\n+|\n+$/g, '')
      text = ''
      return draft
    },
  }
}
