import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import {
  type AgentNote,
  type ExportedAgents,
  editSettings,
  exportAgents,
  importAgents,
  type NameMode,
  type PlacedFile,
  type TargetDialect,
} from '@cadre/agents'
import { type AgentDefinition, CadreError, sentenceOf } from '@cadre/core'
import { type Diagnostic, decodeText, showDiagnostic } from '@cadre/disk'
import { homeOf, projectOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { writeFiles } from './agents-files.ts'

export interface ImportFlags {
  readonly to: TargetDialect
  readonly names?: NameMode
  readonly dir?: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly home?: string
  readonly json?: boolean
}

const maxFileSize = 4_000_000
const editorSettings = '.vscode/settings.json'

/** `cadre agents import`. */
export async function importCommand(
  io: Io,
  flags: ImportFlags,
  ...names: readonly string[]
): Promise<ExitCode> {
  const sources = new Map(names.map((name) => path.resolve(io.cwd, name)).map((file) => [file, read(file)]))
  const { agents, diagnostics } = importAgents(
    [...sources].map(([file, bytes]) => ({ path: file, text: decodeText(bytes) })),
  )
  const made = exportAgents({
    agents,
    to: flags.to,
    read: (file) => sources.get(file),
    ...(flags.names && { names: flags.names }),
  })
  const exported = { ...made, notes: [...made.notes, ...shadows(io, flags, agents)] }
  const failed = exported.faults.length > 0 || diagnostics.some(({ severity }) => severity === 'error')
  const written = failed ? [] : place(io, flags, exported)
  if (flags.json) {
    const dryRun = flags.dryRun === true
    io.stdout.write(
      `${JSON.stringify({ files: written, dryRun, diagnostics, notes: exported.notes, faults: exported.faults })}\n`,
    )
  } else printOutcome(io, flags, { written, diagnostics, exported, failed })
  return failed ? exitCodes.failed : exitCodes.done
}

/** Project settings take precedence over files: agents that stay in them hide the new ones. */
function shadows(io: Io, flags: ImportFlags, agents: readonly AgentDefinition[]): readonly AgentNote[] {
  if (flags.to === 'settings') return []
  const project = flags.dir === undefined ? projectOf(io.cwd) : path.resolve(io.cwd, flags.dir)
  const settings = path.join(project, editorSettings)
  return agents
    .filter(({ source }) => source?.path === settings)
    .map(({ name }) => ({
      agent: name,
      message: `${editorSettings} still defines this agent and takes precedence over the new file. Remove the agent there to use the file.`,
    }))
}

function read(file: string): Buffer {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined)
      throw new CadreError('not_found', `there is no file ${file}. Specify a file that defines agents.`)
    if (!stats.isFile()) throw new CadreError('usage', `${file} is not a file.`)
    if (stats.size > maxFileSize)
      throw new CadreError('usage', `${file} is too large for an agent file (over 4 MB).`)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof CadreError) throw error
    throw new CadreError('not_found', `cannot read ${file}: ${sentenceOf(error)}`)
  }
}

function place(io: Io, flags: ImportFlags, exported: ExportedAgents) {
  const { force = false, dryRun = false } = flags
  const project = flags.dir === undefined ? projectOf(io.cwd) : path.resolve(io.cwd, flags.dir)
  if (flags.to === 'settings') {
    const file = settingsOf(project, exported, force)
    return writeFiles({ folder: project, files: [file], force, edited: new Set([file.path]), dryRun })
  }
  if (flags.to !== 'template' || flags.dir !== undefined)
    return writeFiles({ folder: project, files: exported.files, force, dryRun })
  const home = homeOf(io, flags.home)
  const planned = writeFiles({ folder: home.path, files: exported.files, force, dryRun: true })
  if (dryRun) return planned
  home.folder('templates')
  return writeFiles({ folder: home.path, files: exported.files, force })
}

/** Returns the settings of the project with the agents added. */
function settingsOf(project: string, exported: ExportedAgents, replace: boolean): PlacedFile {
  const file = path.join(project, editorSettings)
  const stats = statSync(file, { throwIfNoEntry: false })
  const text = stats === undefined ? undefined : decodeText(read(file))
  const value = JSON.parse(exported.files[0]?.text ?? '{}')
  const edited = editSettings({ path: file, value, replace, ...(text !== undefined && { text }) })
  if (edited.kind === 'edited') return { path: editorSettings, text: edited.text }
  const reason = edited.reason.replace(/\.$/, '')
  const remedy = edited.isTaken ? '. Replace them with --force' : ''
  throw new CadreError('configuration', `${file}:${edited.line}: ${reason}${remedy}. Nothing was written.`)
}

interface ImportOutcome {
  readonly written: readonly { readonly path: string; readonly status: string }[]
  readonly diagnostics: readonly Diagnostic[]
  readonly exported: ExportedAgents
  readonly failed: boolean
}

function printOutcome(
  io: Io,
  flags: ImportFlags,
  { written, diagnostics, exported, failed }: ImportOutcome,
): void {
  const say = (sentence: string) => void io.stdout.write(`${cleanLine(sentence)}\n`)
  const complain = (sentence: string) => void io.stderr.write(`cadre: ${cleanLine(sentence)}\n`)
  for (const { path: file, status } of written)
    say(
      `${flags.dryRun && status !== 'unchanged' ? 'would be ' : ''}${status} ${path.relative(io.cwd, file) || file}`,
    )
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'error') complain(showDiagnostic(diagnostic))
    else say(`${headings[diagnostic.code] ?? diagnostic.severity} ${showDiagnostic(diagnostic)}`)
  }
  for (const { agent, message } of exported.notes) say(`note ${agent}: ${message}`)
  for (const { agent, message } of exported.faults) complain(`${agent}: ${message}`)
  if (failed) complain('nothing was written')
}

const headings: { readonly [code: string]: string } = {
  'settings-migrated': 'changed',
  'settings-default': 'default',
}
