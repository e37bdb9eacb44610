// Imports only what every start needs, so that the help and the version are fast.
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { helpText } from './help-text.ts'
import type { Io } from './io.ts'
import { wrapText } from './output/wrap-text.ts'
import { version } from './version.ts'

/** Handles the help and the version, which need only this text. Undefined for anything else. */
export function answerHelpOrVersion(
  args: readonly string[],
  io: Pick<Io, 'stdin' | 'stdout'>,
): ExitCode | undefined {
  const [first] = args
  const { stdout } = io
  if (first === undefined && isAtTerminal(io)) return undefined
  const isHelp = first === '--help' || first === '-h' || first === 'help'
  if (first === undefined || (isHelp && args.length === 1))
    stdout.write(stdout.isTTY ? wrapText(helpText(), stdout.stream.columns || 80) : helpText())
  else if (first === '--version' || first === 'version' || first === '-v' || first === '-V')
    stdout.write(`cadre ${version} (Node ${process.versions.node}, ${process.platform}-${process.arch})\n`)
  else return undefined
  return exitCodes.done
}

/**
 * Runs the command in this process and returns its exit code. All output goes to `io`, including failures: it does not
 * reject. Open watchers or connections must not delay the caller.
 */
export async function runCadre(args: readonly string[], io: Io): Promise<ExitCode> {
  const answered = answerHelpOrVersion(args, io)
  if (answered !== undefined) return answered
  const { reportFailure: tellFailure } = await import('./report-failure.ts')
  // Without a command, a user in a terminal wants to chat.
  if (args.length === 0) return runCadre(['chat'], io)
  try {
    if (args[0] === '__complete') {
      await (await import('./app/complete.ts')).complete(args.slice(1), io)
      return exitCodes.done
    }
    const { runApp } = await import('./app/run-app.ts')
    return await runApp(args[0] === 'help' ? [...args.slice(1), '--help'] : args, io)
  } catch (error) {
    return tellFailure(error, io, asksForJson(args))
  }
}

function isAtTerminal({ stdin, stdout }: Pick<Io, 'stdin' | 'stdout'>): boolean {
  return stdin.isTTY === true && stdout.isTTY
}

export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return args.slice(0, end < 0 ? undefined : end).includes('--json')
}
