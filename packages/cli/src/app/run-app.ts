import { CadreError } from '@cadre/core'
import { dropProjectPath, projectOf } from '@cadre/runtime'
import { run } from '@stricli/core'
import { commands, subcommands } from '../commands.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { wrapText } from '../output/wrap-text.ts'
import { buildApp } from './build-app.ts'
import type { CliContext } from './command.ts'
import { withDefaultCommand } from './default-command.ts'

/** Finds the command, checks its arguments and runs it. Rejects with all errors, including usage errors. */
export async function runApp(args: readonly string[], io: Io): Promise<ExitCode> {
  // Before anything starts: a repository must not provide programs.
  dropProjectPath(io.env, [projectOf(io.cwd)])
  const complaints: string[] = []
  const context: CliContext & { process: { exitCode?: number | string | null } } = {
    io,
    ending: undefined,
    process: {
      stdout: { write: (text) => void io.stdout.write(foldOutput(text, io)) },
      stderr: { write: (text) => void complaints.push(text.trim()) },
    },
  }
  await run(buildApp(), withDefaultCommand(args), context)
  const { ending } = context
  if (ending !== undefined) {
    if ('error' in ending) throw ending.error
    return ending.code
  }
  if (context.process.exitCode === 0) return exitCodes.done
  const complaint = complaints[0] ?? 'the command line is invalid'
  throw new CadreError('usage', `${complaint}${complaint.endsWith('?') ? '' : '.'} ${helpHint(args)}`)
}

/** The parser only prints help. */
function foldOutput(text: string, { stdout }: Io): string {
  return stdout.isTTY ? wrapText(text, stdout.stream.columns || 80) : text
}

function helpHint(args: readonly string[]): string {
  const [first = '', second = ''] = args
  const known = Object.hasOwn(commands, first) ? [first] : []
  if (Object.hasOwn(subcommands, first) && subcommands[first]?.includes(second)) known.push(second)
  return `See "${['cadre', ...known, '--help'].join(' ')}".`
}
