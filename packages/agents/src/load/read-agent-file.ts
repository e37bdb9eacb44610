import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { messageOf } from '@cadre/core'
import type { Diagnostic } from '@cadre/disk'
import { decodeText, stampOf } from '@cadre/disk'
import { parseSettingsFile } from '../settings/parse-settings-file.ts'
import type { EditorSettings } from './agent-paths.ts'
import { findDialect } from './dialects.ts'
import type { FoundFile } from './find-agent-files.ts'
import { readInDialect } from './read-agent-text.ts'
import type { ParsedAgent } from './read-definition.ts'

/** The agents that one file defines. */
export interface ReadFile {
  /** One for a file of one agent, usable or not; any number for settings; none for a file that is not an agent. */
  readonly agents: readonly ParsedAgent[]
  /** The entry agent, if settings name one. */
  readonly entry?: string
}

const maxFileSize = 1_000_000

export function readAgentFile({ path, size, place }: FoundFile): ReadFile {
  if (size > maxFileSize)
    return failed(
      path,
      'file-too-large',
      `The file is ${size} bytes long. An agent file can be at most ${maxFileSize} bytes long.`,
    )
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    return failed(path, 'file-unreadable', `Cannot read the file: ${messageOf(error)}.`)
  }
  const text = decodeText(bytes)
  if (place.dialect.format === 'settings') return readSettings({ path, text })
  const read = readInDialect(place.dialect, { path, text })
  if (read.ignored === true) return { agents: [] }
  return { agents: [isUtf8(bytes) ? read : withNote(read, path, text)] }
}

function readSettings(settings: EditorSettings): ReadFile {
  const { reads, entry } = parseSettingsFile(settings)
  return { agents: reads, ...(entry !== undefined && { entry }) }
}

/** Reads the settings that an editor passes, as a file of the highest level. */
export function readEditorSettings(settings: EditorSettings): {
  readonly file: FoundFile
  readonly read: ReadFile
} {
  const { path } = settings
  const place = {
    at: path,
    dialect: findDialect('settings'),
    files: /(?:)/,
    level: Number.POSITIVE_INFINITY,
  }
  const file = { path, real: path, place, depth: 0, stamp: stampOf(undefined), size: settings.text.length }
  return { file, read: readSettings(settings) }
}

/** The original cannot be written back, so there is no repair. */
export function withNote({ repaired: _, ...read }: ParsedAgent, path: string, text: string): ParsedAgent {
  const before = text.slice(0, Math.max(0, text.indexOf('\ufffd')))
  const note: Diagnostic = {
    path,
    line: before.split('\n').length,
    severity: 'warning',
    code: 'not-utf-8',
    message: 'The file contains bytes that are not UTF-8.',
    fix: 'Save it as UTF-8.',
  }
  return {
    ...read,
    ...(read.agent !== undefined && { rescued: true }),
    diagnostics: [...read.diagnostics, note],
  }
}

function failed(path: string, code: string, message: string): ReadFile {
  return { agents: [{ diagnostics: [{ path, line: 1, severity: 'error', code, message }] }] }
}
