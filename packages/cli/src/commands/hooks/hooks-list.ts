import { shownPath } from '@cadre/agents'
import { showDiagnostic } from '@cadre/disk'
import { type Hook, placeOf } from '@cadre/gate'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { availableWidth, textTable } from '../../output/text-table.ts'
import { truncateText } from '../../output/text-width.ts'
import {
  type AvailableHooks,
  describeHookAction,
  findAvailableHooks,
  type HooksFlags,
} from './find-available-hooks.ts'

const maxWidth = 60

/** `cadre hooks list`. */
export async function listHooks(io: Io, flags: HooksFlags & { readonly json?: boolean }): Promise<ExitCode> {
  const here = await findAvailableHooks(io, flags)
  if (flags.json) {
    io.stdout.write(`${JSON.stringify(toJson(here))}\n`)
    return exitCodes.done
  }
  const { hooks, files, diagnostics, project } = here
  if (hooks.length === 0)
    io.stdout.write('No hooks found. docs/hooks.md lists where Cadre looks for hooks.\n')
  else {
    const rows = hooks.map((hook) => rowOf(hook, project))
    io.stdout.write(
      textTable(['EVENT', 'FROM', 'DIALECT', 'MATCHER', 'RUNS', 'STATUS'], rows, availableWidth(io.stdout)),
    )
  }
  const untrusted = files.filter(({ trusted, hooks: count }) => !trusted && count > 0)
  if (untrusted.length > 0)
    io.stdout.write(
      `\nNot trusted, so these hooks do not run: ${untrusted.map(({ path }) => cleanLine(shownPath(io.cwd, path))).join(', ')}. ` +
        'Inspect them. "cadre run" asks whether you trust them; --trust trusts them for one command.\n',
    )
  if (diagnostics.length > 0) {
    const lines = diagnostics.map(
      (found) => `  ${cleanLine(showDiagnostic({ ...found, path: shownPath(io.cwd, found.path) }))}\n`,
    )
    io.stdout.write(`\nNotes:\n${lines.join('')}`)
  }
  return exitCodes.done
}

function rowOf(hook: Hook, project: string): string[] {
  const { spelling, dialect, matcher = '', condition, level, idle } = hook
  const when = condition === undefined ? matcher : `${matcher} if ${condition}`.trim()
  return [
    spelling,
    `${placeOf(hook, project)} (${level})`,
    dialect,
    when,
    truncateText(cleanLine(describeHookAction(hook)), maxWidth),
    idle === undefined ? 'run' : `does not run: ${idle}`,
  ].map(cleanLine)
}

function toJson({ hooks, files, diagnostics }: AvailableHooks): object {
  return {
    hooks: hooks.map((hook) => {
      const { event, spelling, dialect, level, path, line, matcher, condition, idle, timeoutMs } = hook
      return {
        event,
        spelling,
        dialect,
        level,
        path,
        line,
        ...(matcher !== undefined && { matcher }),
        ...(condition !== undefined && { if: condition }),
        runs: describeHookAction(hook),
        timeout: timeoutMs / 1_000,
        run: idle === undefined,
        ...(idle !== undefined && { reason: idle }),
      }
    }),
    files,
    diagnostics,
  }
}
