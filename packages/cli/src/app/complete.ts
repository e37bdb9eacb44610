import { proposeCompletions } from '@stricli/core'
import type { Io } from '../io.ts'
import { cleanLine } from '../output/clean-text.ts'
import { buildApp } from './build-app.ts'
import type { CliContext } from './command.ts'
import { withDefaultCommand } from './default-command.ts'

/** Prints completions of the last word, one per line: value, tab, description. Never fails. */
export async function complete(words: readonly string[], io: Io): Promise<void> {
  const at = words.indexOf('--home')
  const home = at < 0 ? undefined : words[at + 1]
  const context: CliContext = {
    io: { ...io, env: { ...io.env, ...(home && { CADRE_HOME: home }) }, warn: () => {} },
    ending: undefined,
    process: { stdout: { write: () => {} }, stderr: { write: () => {} } },
  }
  const propose = (line: readonly string[]) => proposeCompletions(buildApp(), line, context).catch(() => [])
  const whole = withDefaultCommand(words)
  // `cadre mcp ` can continue with a subcommand, and with a flag of the default one.
  const found = [...(await propose(words)), ...(whole === words ? [] : await propose(whole))]
  const lines = found.map(({ kind, completion, brief }) => {
    // A value needs no description of its flag.
    const about = kind === 'argument:value' ? '' : `\t${cleanLine(brief)}`
    return `${cleanLine(completion)}${about}\n`
  })
  io.stdout.write(lines.join(''))
}
