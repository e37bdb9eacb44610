import { lstatSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/files'
import type { CommandLine } from './command-line.ts'
import { fileDigest } from './file-digest.ts'
import { programOf } from './program-name.ts'
import { describeCommand } from './programs/describe-command.ts'

const mostFiles = 50

/**
 * The files of the workspace that a line would run, with their content: an approval is about these. Files that only listed
 * readers open are none of them; of every other program each word that names a file counts.
 */
export function boundTo(
  line: CommandLine,
  workspace: string,
  cwd: string,
): { readonly boundTo?: readonly string[] } {
  const files = new Map<string, string>()
  for (const { words, folders } of line.commands) {
    const described = describeCommand(words)
    if (described?.isReader && described.unlisted.length === 0) continue
    const names = [...words.map(({ text }) => text), ...readBy(programOf(words[0]?.text ?? ''))]
    for (const folder of folders) for (const name of names) add(path.resolve(cwd, folder, name))
  }
  if (files.size === 0) return {}
  return { boundTo: [...files].map(([file, digest]) => `${file} sha256 ${digest}`).sort() }

  function add(file: string): void {
    if (files.size >= mostFiles || files.has(file) || file.includes('\0') || !isInside(workspace, file))
      return
    if (!isThere(file)) return
    files.set(file, fileDigest(file) ?? 'none')
  }
}

/** What they run although nobody names it. */
function readBy(program: string): readonly string[] {
  if (/^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx)$/.test(program)) return ['package.json']
  return program === 'make' || program === 'gmake' ? ['Makefile', 'makefile', 'GNUmakefile'] : []
}

function isThere(file: string): boolean {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false })
    return stats !== undefined && !stats.isDirectory()
  } catch {
    return false
  }
}
