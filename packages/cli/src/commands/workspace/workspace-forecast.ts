import { requireTrustedHome } from '@cadre/runtime'
import { createWorkspaces, type WorkspaceForecast } from '@cadre/workspaces'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { findWorkspace, indentLine, type WorkspaceFlags } from './find-workspace.ts'

/** `cadre workspace forecast`. */
export async function forecastWorkspaces(io: Io, flags: WorkspaceFlags, named?: string): Promise<ExitCode> {
  const forecasts = named === undefined ? await forecastAll(io, flags) : [await forecastOne(io, flags, named)]
  if (flags.json) io.stdout.write(`${JSON.stringify(forecasts)}\n`)
  else {
    const lines = forecasts.flatMap(linesOf).map(indentLine)
    io.stdout.write(`${lines.join('\n') || 'No workspace has changes to merge.'}\n`)
  }
  const hasConflicts = forecasts.some((forecast) =>
    forecast.with.some(({ conflicts }) => conflicts.length > 0),
  )
  return hasConflicts ? exitCodes.failed : exitCodes.done
}

async function forecastOne(io: Io, flags: WorkspaceFlags, named: string): Promise<WorkspaceForecast> {
  const { workspaces, owner } = await findWorkspace(io, flags, named)
  return workspaces.forecast(owner)
}

async function forecastAll(io: Io, flags: WorkspaceFlags): Promise<WorkspaceForecast[]> {
  const workspaces = createWorkspaces({ home: await requireTrustedHome(io, flags) })
  const forecasts: WorkspaceForecast[] = []
  for (const { session, state } of await workspaces.list())
    if (state === 'open' || state === 'gone') forecasts.push(await workspaces.forecast(session))
  return forecasts
}

function linesOf({ session, with: others, omitted }: WorkspaceForecast): string[] {
  const shown = others.map(({ session: other, files, conflicts }) => {
    const name = other === 'target' ? 'its target folder' : other
    return conflicts.length > 0
      ? `  conflicts with ${name}: ${conflicts.join(', ')}`
      : `  merges cleanly with ${name}, which changed the same files: ${files.join(', ')}`
  })
  const rest = omitted === 0 ? [] : [`  ${omitted} more workspaces were not compared.`]
  return [`${session}:`, ...(shown.length === 0 ? ['  no conflicts'] : shown), ...rest]
}
