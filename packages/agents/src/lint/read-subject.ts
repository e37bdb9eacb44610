import { isUtf8 } from 'node:buffer'
import { readFileSync, statSync } from 'node:fs'
import { messageOf } from '@cadre/core'
import { decodeText } from '@cadre/disk'
import { dialectOf, pluginDialect } from '../load/dialects.ts'
import { withNote } from '../load/read-agent-file.ts'
import { readInDialect } from '../load/read-agent-text.ts'
import type { ParsedAgent } from '../load/read-definition.ts'
import { parseSettingsFile } from '../settings/parse-settings-file.ts'
import type { AgentOrigin } from './project-of-file.ts'
import type { LintSubject } from './subject.ts'
import { readWrittenHeader } from './written-header.ts'

const maxFileSize = 1_000_000

export interface SubjectRequest {
  readonly path: string
  readonly shown: string
  readonly membership: AgentOrigin
  /** Used instead of the file on disk. */
  readonly text?: string
}

/** Reads one file for the rules, possibly with several agents. An unreadable file is a subject with the reason. */
export function readSubjects(request: SubjectRequest): readonly [LintSubject, ...LintSubject[]] {
  const { path, shown, membership } = request
  const failed = (code: string, message: string): [LintSubject] => {
    const read: ParsedAgent = { diagnostics: [{ path, line: 1, severity: 'error', code, message }] }
    return [{ path, shown, text: '', dialect: 'unknown', read, header: new Map(), membership }]
  }
  let bytes: Buffer
  try {
    const size = request.text === undefined ? statSync(path).size : Buffer.byteLength(request.text)
    if (size > maxFileSize)
      return failed(
        'file-too-large',
        `The file is ${size} bytes long. An agent file can be at most ${maxFileSize} bytes long.`,
      )
    bytes = request.text === undefined ? readFileSync(path) : Buffer.from(request.text)
  } catch (error) {
    return failed('file-unreadable', `Cannot read the file: ${messageOf(error)}.`)
  }
  const text = decodeText(bytes)
  const known = dialectOf(path, text)
  if (known.format === 'settings') return settingsSubjects({ path, shown, membership }, text)
  const dialect = membership.plugin === undefined ? known : pluginDialect(known, membership.plugin)
  const read = readInDialect(dialect, { path, text })
  const header = readWrittenHeader({ path, text })
  const subject = { path, shown, text, dialect: dialect.name, read, header, membership }
  return [isUtf8(bytes) ? subject : { ...subject, read: withNote(read, path, text) }]
}

/** Usable agents come first; the first also has the findings about the file as a whole. */
function settingsSubjects(request: SubjectRequest, text: string): readonly [LintSubject, ...LintSubject[]] {
  const { reads, isUseless } = parseSettingsFile({ path: request.path, text })
  const subject = { ...request, text, dialect: 'settings', header: new Map() }
  const [first = { diagnostics: [] }, ...others] = reads
  return [{ ...subject, read: first, isUseless }, ...others.map((read) => ({ ...subject, read }))]
}
