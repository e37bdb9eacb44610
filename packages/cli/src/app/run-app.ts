import { CadreError } from '@cadre/core'
import { dropProjectPath, projectOf } from '@cadre/runtime'
import { run } from '@stricli/core'
import {
  agentCommands,
  commands,
  configCommands,
  hookCommands,
  mcpCommands,
  policyCommands,
  sessionCommands,
  workspaceCommands,
} from '../commands.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { foldText } from '../output/fold-text.ts'
import { buildApp } from './build-app.ts'
import type { CliContext } from './command.ts'

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

/** The commands without a subcommand. */
const defaults: Readonly<Record<string, string>> = { agents: 'list', sessions: 'list', mcp: 'serve' }

function withDefaultCommand(args: readonly string[]): readonly string[] {
  const [first = '', second = ''] = args
  const isHelp = /^(?:--help(?:-all|All)?|-h|-H)$/.test(second)
  const isBare = second === '' || (second.startsWith('-') && !isHelp)
  const command = Object.hasOwn(defaults, first) ? defaults[first] : undefined
  return command !== undefined && isBare ? [first, command, ...args.slice(1)] : args
}

/** The parser only prints help. */
function foldOutput(text: string, { stdout }: Io): string {
  return stdout.isTTY ? foldText(text, stdout.stream.columns || 80) : text
}

function helpHint(args: readonly string[]): string {
  const [first = '', second = ''] = args
  const known = Object.hasOwn(commands, first) ? [first] : []
  const below = {
    sessions: sessionCommands,
    workspace: workspaceCommands,
    agents: agentCommands,
    policy: policyCommands,
    hooks: hookCommands,
    mcp: mcpCommands,
    config: configCommands,
  }
  if (Object.hasOwn(below, first) && below[first as keyof typeof below].includes(second)) known.push(second)
  return `See "${['cadre', ...known, '--help'].join(' ')}".`
}
