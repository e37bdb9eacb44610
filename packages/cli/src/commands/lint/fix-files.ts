import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { fixAgentText, hideSecrets, readWrittenHeader, shownPath, writeFixedFile } from '@cadre/agents'
import { messageOf } from '@cadre/core'
import { decodeText } from '@cadre/disk'
import { createTwoFilesPatch } from 'diff'

/** What --fix did with one file, or would do. */
export interface FixedFile {
  readonly path: string
  /** A unified diff, without values that look like keys. */
  readonly diff?: string
  readonly written: boolean
  /** Why it was not changed. */
  readonly refused?: string
}

export interface FixRequest {
  /** Absolute paths, each with the folder that changes are limited to. */
  readonly files: readonly { readonly file: string; readonly within: string }[]
  readonly cwd: string
  readonly dryRun: boolean
}

/** Fixes files. Returns only those that needed it. */
export function fixFiles({ files, cwd, dryRun }: FixRequest): FixedFile[] {
  return files.flatMap(({ file, within }) => {
    const shown = shownPath(cwd, file)
    try {
      return fixOne(file, within, shown, dryRun)
    } catch (error) {
      return [{ path: shown, written: false, refused: messageOf(error) }]
    }
  })
}

const maxFileSize = 1_000_000

function fixOne(file: string, within: string, shown: string, dryRun: boolean): FixedFile[] {
  if (statSync(file).size > maxFileSize) return []
  const before = readFileSync(file)
  const text = decodeText(before)
  const fix = fixAgentText({ path: path.resolve(file), text })
  if (fix.kind === 'nothing') return []
  if (fix.kind === 'refused') return [{ path: shown, written: false, refused: fix.reason }]
  // Undecodable bytes would be lost.
  if (!Buffer.from(text).equals(before))
    return [{ path: shown, written: false, refused: 'the file contains bytes that are not UTF-8' }]
  const header = readWrittenHeader({ path: file, text: fix.text })
  const diff = hideSecrets(createTwoFilesPatch(shown, shown, text, fix.text, '', '', { context: 2 }), header)
  const refused = dryRun ? undefined : writeFixedFile({ file, within, before, text: fix.text })
  return [
    {
      path: shown,
      diff,
      written: !dryRun && refused === undefined,
      ...(refused !== undefined && { refused }),
    },
  ]
}
