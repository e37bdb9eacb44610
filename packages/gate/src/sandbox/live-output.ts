import { StringDecoder } from 'node:string_decoder'
import { maskValues, secretValues } from '@cadre/disk'

/** A longer line is passed on in parts. */
const maxLine = 16_000

export interface LiveOutput {
  add(bytes: Uint8Array): void
  end(): void
}

/**
 * Passes on the output of a command while it runs, in whole lines, so that a secret is never split, and without secrets. For people only:
 * the result of the command has all of its output.
 */
export function createLiveOutput(take: (text: string) => void): LiveOutput {
  const decoder = new StringDecoder('utf8')
  const secrets = secretValues(process.env)
  let rest = ''
  const pass = (text: string) => {
    if (text !== '') take(maskValues(text, secrets))
  }
  return {
    add(bytes) {
      rest += decoder.write(Buffer.from(bytes))
      const at = rest.length > maxLine ? rest.length : rest.lastIndexOf('\n') + 1
      pass(rest.slice(0, at))
      rest = rest.slice(at)
    },
    end() {
      pass(rest + decoder.end())
      rest = ''
    },
  }
}
