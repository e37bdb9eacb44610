import { readFileSync } from 'node:fs'
import path from 'node:path'
import { exportAgents, loadAgents, type NameMode, type PlacedFile, type TargetDialect } from '@cadre/agents'
import { type AgentDefinition, CadreError, didYouMean, nameKey } from '@cadre/core'
import { type Diagnostic, isFolder, showDiagnostic } from '@cadre/disk'
import { agentPaths, homeOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine, cleanText } from '../../output/clean-text.ts'
import { writeFiles } from './agents-files.ts'

export interface ExportFlags {
  readonly to: TargetDialect
  readonly names?: NameMode
  readonly out?: string
  readonly force?: boolean
  readonly home?: string
  readonly json?: boolean
}

/** `cadre agents export`. */
export async function exportCommand(
  io: Io,
  flags: ExportFlags,
  ...names: readonly string[]
): Promise<ExitCode> {
  const { agents, broken } = await chosenAgents(io, flags.home, names)
  const { files, notes, faults } = exportAgents({
    agents,
    to: flags.to,
    read,
    ...(flags.names && { names: flags.names }),
  })
  const tell = (message: string) => void io.stderr.write(`cadre: ${cleanLine(message)}\n`)
  if (flags.out === undefined && !flags.json && files.length > 1)
    throw new CadreError(
      'usage',
      `${files.length} agents need ${files.length} files in this dialect. Specify a folder with --out DIR, select one agent, or use --json.`,
    )
  const written =
    flags.out === undefined ? undefined : writeFilesTo(io, flags.out, files, flags.force === true)
  if (flags.json) {
    const told = {
      files: files.map(({ path: at, text }) => ({ path: at, text })),
      notes,
      faults,
      diagnostics: broken,
      ...(written && { written }),
    }
    io.stdout.write(`${JSON.stringify(told)}\n`)
  } else {
    for (const diagnostic of broken) tell(showDiagnostic(diagnostic))
    for (const { agent, message } of [...notes, ...faults]) tell(`${agent}: ${message}`)
    if (written === undefined) io.stdout.write(printable(io, files[0]?.text ?? ''))
    else for (const { path: at, status } of written) io.stdout.write(`${cleanLine(at)} (${status})\n`)
  }
  return faults.length === 0 && broken.length === 0 ? exitCodes.done : exitCodes.failed
}

/** Unchanged, byte for byte, except for a terminal, where control characters are removed. */
function printable(io: Io, text: string): string {
  return io.stdout.isTTY ? cleanText(text) : text
}

interface Chosen {
  readonly agents: readonly AgentDefinition[]
  /** Errors in files whose agents are therefore missing. */
  readonly broken: readonly Diagnostic[]
}

async function chosenAgents(io: Io, home: string | undefined, names: readonly string[]): Promise<Chosen> {
  const place = homeOf(io, home)
  const { agents, diagnostics } = await loadAgents(agentPaths(io, place, io.cwd))
  if (names.length === 0) {
    const broken = diagnostics.filter(({ severity }) => severity === 'error')
    if (agents.length > 0) return { agents, broken }
    const [fault] = broken
    const why = fault === undefined ? '.' : `. ${fault.path}:${fault.line ?? 1}: ${fault.message}`
    throw new CadreError(
      'not_found',
      `there are no agents in this project or in ${place.at('templates')}${why}`,
    )
  }
  const chosen = names.map((name) => {
    const found =
      agents.find((agent) => agent.name === name) ??
      agents.find((agent) => nameKey(agent.name) === nameKey(name))
    if (found !== undefined) return found
    const fault = diagnostics.find(
      ({ severity, path: at }) =>
        severity === 'error' && path.basename(at).toLowerCase().startsWith(`${name.toLowerCase()}.`),
    )
    if (fault !== undefined)
      throw new CadreError('configuration', `${fault.path}:${fault.line ?? 1}: ${fault.message}`)
    const known = agents.map((agent) => agent.name)
    throw new CadreError(
      'not_found',
      `there is no agent named ${JSON.stringify(name)}${didYouMean(name, known) || '.'} Known: ${known.join(', ') || 'none'}.`,
    )
  })
  return { agents: [...new Set(chosen)], broken: [] }
}

function writeFilesTo(io: Io, out: string, files: readonly PlacedFile[], force: boolean) {
  const target = path.resolve(io.cwd, out)
  const [only] = files
  if (/[\\/]$/.test(out) || isFolder(target) || files.length !== 1 || only === undefined)
    return writeFiles({ folder: target, files, force })
  const file = { ...only, path: path.basename(target) }
  return writeFiles({ folder: path.dirname(target), files: [file], force })
}

function read(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}
