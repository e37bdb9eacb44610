import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

// Files that change often and can be regenerated, files of a single process, and nested repositories.
const excluded = [
  '/workspaces/',
  '/events/',
  '/storage/leases/',
  '/storage/wal/',
  '/storage/requests/',
  '/storage/index/',
  '/storage/cursors/',
  '/storage/workspaces/',
  '/storage/checkpoints/',
  '/storage/unguarded/',
  '/storage/edits/',
  '/storage/undone/',
  '/storage/doubts/',
  '/storage/logins/',
  '/storage/daemon.*',
  '/engine/',
  '/sessions/.*',
  '*.tmp',
  // Temporary files of editors.
  '*~',
  '.*.sw?',
  '.#*',
  '/tasks/4913',
]

/** Writes the ignore rules of the home's repository to `info/exclude`, not to a user's file. Keeps existing lines. */
export function writeHomeExclude(gitDir: string): void {
  const file = path.join(gitDir, 'info', 'exclude')
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const lines = before.split(/\r?\n/)
  const missing = excluded.filter((line) => !lines.includes(line))
  if (missing.length === 0) return
  mkdirSync(path.dirname(file), { recursive: true })
  const start = before === '' || before.endsWith('\n') ? before : `${before}\n`
  writeFileSync(file, `${start}${missing.join('\n')}\n`)
}
