import { proposeCompletions } from '@stricli/core'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import { buildApp } from './build-app.ts'
import type { CliContext } from './command.ts'

/** Prints completions of the last word, one per line: value, tab, description. Never fails. */
export async function complete(words: readonly string[], io: Io): Promise<void> {
  const at = words.indexOf('--home')
  const home = at < 0 ? undefined : words[at + 1]
  const context: CliContext = {
    io: { ...io, env: { ...io.env, ...(home && { CADRE_HOME: home }) }, warn: () => {} },
    ending: undefined,
    process: { stdout: { write: () => {} }, stderr: { write: () => {} } },
  }
  const found = await proposeCompletions(buildApp(), words, context).catch(() => [])
  const lines = found.map(({ kind, completion, brief }) => {
    // A value needs no description of its flag.
    const about = kind === 'argument:value' ? '' : `\t${cleanLine(brief)}`
    return `${cleanLine(completion)}${about}\n`
  })
  io.stdout.write(lines.join(''))
}
