import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

// What changes all the time and can be made anew, what belongs to one process, what is a history of its own.
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
  '/storage/daemon.*',
  '/sessions/.*',
  '*.tmp',
  // What editors put beside a file that is open.
  '*~',
  '.*.sw?',
  '.#*',
  '/tasks/4913',
]

/** Tells the home's git what is not in it, without a file among the person's own. Lines that stand there stay. */
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
