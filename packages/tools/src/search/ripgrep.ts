import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { runProcess } from '../commands/run-process.ts'
import { Refusal } from '../refusal.ts'
import { withPinnedFolder } from './with-pinned-folder.ts'

export const withoutRipgrep =
  'ripgrep is not installed for this platform, so Cadre used a slower search. Install it with "npm install @vscode/ripgrep"'

export interface RipgrepRequest {
  readonly program: string
  /** The real paths of the workspace, and of the folder in it to search. */
  readonly root: string
  readonly folder: string
  readonly args: readonly string[]
  /** Receives whole lines, or with `--null` whole names; `false` ends the search. */
  readonly take: (record: string) => boolean
  readonly separator?: '\n' | '\0'
}

const timeoutMs = 60_000

/** Runs ripgrep in a folder of the workspace, ignoring the user's ripgrep configuration. */
export async function ripgrep(request: RipgrepRequest, signal: AbortSignal): Promise<void> {
  const { program, root, folder, args, take, separator = '\n' } = request
  const commonArgs = ['--no-config', '--hidden', '--glob=!.git', '--no-require-git', '--color=never']
  // A workspace that is not a repository may be in a folder that an enclosing repository ignores.
  if (!(await exists(path.join(root, '.git')))) commonArgs.push('--no-ignore-parent')
  let rest = ''
  let wanted = true
  const end = await withPinnedFolder(folder, (cwd) =>
    runProcess(
      {
        command: [program, ...commonArgs, ...args],
        cwd,
        timeoutMs,
        max: 10_000,
        take(text) {
          const records = (rest + text).split(separator)
          rest = records.pop() ?? ''
          wanted = wanted && records.every((record) => take(record))
          return wanted
        },
      },
      signal,
    ),
  )
  if (end.kind === 'timed_out')
    throw new Refusal('The search took longer than a minute. Narrow it with a path.')
  // 2 can also mean that a file was unreadable; then the results still count.
  if (end.code === 2 && /regex|pcre2|error parsing|invalid/i.test(end.stderr)) {
    throw new Refusal(`The regular expression is invalid: ${lastLine(end.stderr)}`)
  }
}

/** Converts a name from ripgrep to the displayed form. */
export function toDisplayPath(name: string): string {
  return (path.sep === '\\' ? name.replaceAll('\\', '/') : name).replace(/^\.\//, '')
}

function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return (
    lines.findLast((line) => /error/i.test(line)) ??
    lines.at(-1) ??
    'the expression is malformed'
  ).trim()
}

async function exists(target: string): Promise<boolean> {
  return lstat(target).then(
    () => true,
    () => false,
  )
}
