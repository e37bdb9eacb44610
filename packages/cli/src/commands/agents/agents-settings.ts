import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { type ChangedSettings, changeSettings, type SettingsChange } from '@cadre/agents'
import { CadreError, sentenceOf } from '@cadre/core'
import { decodeText } from '@cadre/disk'
import { projectOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { createTerminalUser } from '../login/terminal-user.ts'
import { writeFiles } from './agents-files.ts'

export interface SettingsFlags {
  readonly settings?: string
  readonly dryRun?: boolean
  readonly json?: boolean
}

export interface AddFlags extends SettingsFlags {
  readonly description: string
  readonly prompt: string
  readonly useFor?: string
  readonly tools?: string
  readonly model?: string
}

export interface ResetFlags extends SettingsFlags {
  readonly yes?: boolean
}

export interface RemoveFlags extends ResetFlags {
  readonly entry?: string
}

const maxFileSize = 4_000_000

/** `cadre agents add`. As in the settings page, a new agent can read and search until a person permits more. */
export async function addAgent(io: Io, flags: AddFlags, name: string): Promise<ExitCode> {
  const names = (flags.tools ?? 'read,search').split(',').map((tool) => tool.trim())
  const tools = names.filter((tool) => tool !== '')
  const agent = {
    name,
    systemPrompt: flags.prompt,
    description: flags.description,
    useFor: flags.useFor ?? flags.description,
    delegationPermissions: { type: 'none' },
    toolPermissions: tools.length === 0 ? { type: 'none' } : { type: 'specific', tools },
    ...(flags.model !== undefined && { model: flags.model }),
  }
  return changeFile(io, flags, { kind: 'add', agent })
}

/** `cadre agents duplicate`. */
export async function duplicateAgent(
  io: Io,
  flags: SettingsFlags,
  name: string,
  as?: string,
): Promise<ExitCode> {
  return changeFile(io, flags, { kind: 'duplicate', name, ...(as !== undefined && { as }) })
}

/** `cadre agents remove`. */
export async function removeAgent(io: Io, flags: RemoveFlags, name: string): Promise<ExitCode> {
  const { entry } = flags
  return changeFile(io, flags, { kind: 'remove', name, ...(entry !== undefined && { entry }) })
}

/** `cadre agents reset`. */
export async function resetAgents(io: Io, flags: ResetFlags): Promise<ExitCode> {
  return changeFile(io, flags, { kind: 'reset' })
}

async function changeFile(io: Io, flags: ResetFlags, change: SettingsChange): Promise<ExitCode> {
  const { settings, dryRun = false, json = false, yes = false } = flags
  const named = settings === undefined ? undefined : path.resolve(io.cwd, settings)
  // Links must not point outside this folder.
  const folder = named === undefined ? projectOf(io.cwd) : path.dirname(named)
  const file = named ?? path.join(folder, '.vscode/settings.json')
  const shown = path.relative(io.cwd, file) || file
  const text = readSettings(file)
  const changed = changeSettings({ path: file, change, ...(text !== undefined && { text }) })
  if (changed.kind === 'refused')
    throw new CadreError('configuration', `${shown}:${changed.line}: ${changed.reason} Nothing was written.`)
  const { added, removed } = changed
  if (removed.length > 0 && !dryRun && !yes) await confirmRemoval(io, { shown, removed, json })
  const files = [{ path: path.relative(folder, file), text: changed.text }]
  const [written] = writeFiles({ folder, files, force: true, dryRun })
  if (json)
    io.stdout.write(
      `${JSON.stringify({ path: file, status: written?.status ?? 'unchanged', added, removed, dryRun })}\n`,
    )
  else io.stdout.write(`${cleanLine(sentence(changed, shown, dryRun))}\n`)
  return exitCodes.done
}

function sentence({ added, removed }: Changed, shown: string, dryRun: boolean): string {
  const names = [...added, ...removed].join(', ') || 'the entry agent'
  if (added.length > 0) return `${dryRun ? 'Would add' : 'Added'} ${names} to ${shown}.`
  return `${dryRun ? 'Would remove' : 'Removed'} ${names} from ${shown}.`
}

type Changed = Extract<ChangedSettings, { kind: 'changed' }>

async function confirmRemoval(
  io: Io,
  { shown, removed, json }: { shown: string; removed: readonly string[]; json: boolean },
): Promise<void> {
  const person = createTerminalUser(io, json)
  try {
    const answer = await person.confirm(cleanLine(`Remove ${removed.join(', ')} from ${shown}? y/N: `))
    if (answer === undefined)
      throw new CadreError('usage', 'cannot ask for confirmation without a terminal. Add --yes to remove.')
    if (!answer) throw new CadreError('cancelled', 'nothing was removed.')
  } finally {
    person.leave()
  }
}

function readSettings(file: string): string | undefined {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats === undefined) return undefined
    if (!stats.isFile()) throw new CadreError('usage', `${file} is not a file.`)
    if (stats.size > maxFileSize)
      throw new CadreError('usage', `${file} is too large for settings (over 4 MB).`)
    return decodeText(readFileSync(file))
  } catch (error) {
    if (error instanceof CadreError) throw error
    throw new CadreError('not_found', `cannot read ${file}: ${sentenceOf(error)}`)
  }
}
