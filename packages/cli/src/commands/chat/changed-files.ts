import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseJson } from '@cadre/core'
import type { FileChange } from '../../output/diff/diff-text.ts'

/** Files that a call is about to change. */
export interface ChangedFiles {
  /** Returns what has changed since. */
  changes(): FileChange[]
}

const maxFiles = 20
const maxBytes = 1_000_000
/** Not text, or unreadable. */
const unknown: unique symbol = Symbol('unknown')
const keys = ['path', 'filePath', 'file_path', 'filename', 'file', 'target_file', 'absolute_path']

/**
 * Reads the files that a call names before it runs, to show its changes later. Only for display: skips arguments that are
 * not understood, and files that are not text, too large or outside the workspace.
 */
export function readChangedFiles(input: string, workspace: string): ChangedFiles {
  const files = [...new Set(namedIn(input))].slice(0, maxFiles).flatMap((name) => {
    const file = path.resolve(workspace, name)
    const shown = path.relative(workspace, file)
    return shown.startsWith('..') || path.isAbsolute(shown) ? [] : [{ file, shown, before: textOf(file) }]
  })
  return {
    changes: () =>
      files.flatMap(({ file, shown, before }) => {
        const after = textOf(file)
        if (typeof before === 'symbol' || typeof after === 'symbol' || before === after) return []
        return [
          { path: shown, ...(before !== undefined && { before }), ...(after !== undefined && { after }) },
        ]
      }),
  }
}

function namedIn(input: string): string[] {
  const parsed = parseJson(input)
  if (!parsed.ok || typeof parsed.value !== 'object' || parsed.value === null) return []
  const found: string[] = []
  const look = (value: object) => {
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string' && keys.includes(key)) found.push(item)
      else if (typeof item === 'string' && item.includes('*** '))
        for (const [, name = ''] of item.matchAll(
          /^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$/gm,
        ))
          found.push(name.trim())
      else if (Array.isArray(item))
        for (const one of item) if (typeof one === 'object' && one !== null) look(one)
    }
  }
  look(parsed.value)
  return found
}

function textOf(file: string): string | undefined | typeof unknown {
  try {
    const stats = statSync(file)
    if (!stats.isFile() || stats.size > maxBytes) return unknown
    const text = readFileSync(file, 'utf8')
    return text.includes('\0') ? unknown : text
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : unknown
  }
}
