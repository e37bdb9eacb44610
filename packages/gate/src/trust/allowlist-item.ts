import path from 'node:path'
import { readAllowlist } from '../commands/read-allowlist.ts'
import type { FolderContents } from './folder-item.ts'
import { readWithin } from './read-within.ts'

/** The allowlist of a home, if it allows any command without a question. */
export function allowlistItem(home: string): FolderContents {
  const file = path.join(home, 'storage', 'terminal-cmd-allowlist.yaml')
  const content = readWithin(home, file)
  if (content.kind === 'unusable') return { items: [], unusable: [{ file, reason: content.reason }] }
  if (content.kind === 'none' || !readAllowlist(content.text, file).widens) return { items: [], unusable: [] }
  const what = 'allows commands without asking'
  return { items: [{ path: file, sha256: content.sha256, file, what }], unusable: [] }
}
