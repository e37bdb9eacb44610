import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { CadreError, type Json } from '@cadre/core'
import { type Diagnostic, rawOf, readYaml, setSetting, showDiagnostic, textOf } from '@cadre/disk'
import { checkConfigText, editFile, type FoundKey, findKey } from '@cadre/home'
import { homeOf } from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { configPaths, configRows } from './config-rows.ts'

export interface SetFlags {
  readonly user?: boolean
  readonly project?: boolean
  readonly home?: string
  readonly json?: boolean
}

/** `cadre config set`. */
export async function setConfig(io: Io, flags: SetFlags, written: string, text: string): Promise<ExitCode> {
  if (flags.user && flags.project) throw new CadreError('usage', 'choose one of --user and --project.')
  const found = findKey(written)
  const { user, project } = await configPaths(io, flags.home)
  const file = flags.project ? project : user
  // A missing home is created as a run does it.
  if (flags.project) homeOf(io, flags.home).folder('storage')
  const value = settingValue(found, text)
  const changed = writeSettings(file, [{ keys: found.keys, value }])
  const key = found.keys.join('.')
  const now = (await configRows(io, flags.home)).find((row) => row.key === key)
  if (flags.json)
    io.stdout.write(
      `${JSON.stringify({ type: 'config', key, value, file, changed, ...(now && { effective: now }) })}\n`,
    )
  else {
    io.stdout.write(`${cleanLine(changed ? `Set ${key} in ${file}.` : `${file} already has this value.`)}\n`)
    if (now !== undefined && !now.from.startsWith(`${file}:`))
      io.warn(`${now.from} takes precedence and sets ${key} to ${JSON.stringify(now.value)}.`)
  }
  return exitCodes.done
}

export interface NewSetting {
  readonly keys: readonly string[]
  readonly value: Json
}

/** Changes settings in a file, all or none, after validating the result. Returns true if it changed. */
export function writeSettings(file: string, settings: readonly NewSetting[]): boolean {
  mkdirSync(path.dirname(file), { recursive: true })
  return editFile(file, (raw) => {
    const before = raw === undefined ? '' : textOf(raw)
    let after = before
    for (const { keys, value } of settings) {
      const changed = setSetting(after, { path: file, keys, value })
      if (changed.kind === 'refused') throw new CadreError('configuration', changed.reason)
      if (changed.kind === 'changed') after = changed.text
    }
    const faults = checkConfigText(after, file)
    // A line of a text that is not written would mislead.
    const show = checkConfigText(before, file).length > 0 ? showDiagnostic : messageIn
    if (faults.length > 0) throw new CadreError('configuration', faults.map(show).join('\n'))
    return after === before ? undefined : rawOf(after)
  })
}

function messageIn({ message }: Diagnostic): string {
  return message
}

/** Text if the key expects text; otherwise YAML: `true`, `5`, `[a, b]`. */
function settingValue({ shape }: FoundKey, text: string): Json {
  if (shape.kind === 'text' || shape.kind === 'choice' || shape.kind === 'matching') return text
  const read = readYaml({ text, path: 'VALUE' })
  if (read.kind === 'read') return read.root.value
  throw new CadreError('usage', `the value is not valid YAML: ${read.diagnostics[0]?.message ?? text}`)
}
