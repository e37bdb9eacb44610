import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type Home, runningProcess } from '@cadre/home'
import { formatCount } from '../../output/numbers.ts'
import { type Check, fail, ok, warn } from './check.ts'

/** Checks the home on disk, without opening or repairing anything. */
export function checkHome(home: Home): Check[] {
  if (!existsSync(home.path)) {
    const above = nearestFolder(home.path)
    return [
      isWritable(above)
        ? ok('home', `${home.path} (created when the first session starts)`)
        : fail(
            'home',
            `${home.path} cannot be created: ${above} is not writable`,
            'Use another folder with --home or CADRE_HOME.',
          ),
    ]
  }
  const checks = [
    isWritable(home.path)
      ? ok('home', home.path)
      : fail(
          'home',
          `${home.path} is not writable`,
          `Change its permissions, or use another folder with --home.`,
        ),
  ]
  const names = namesIn(home.at('sessions'))
  const sessions = names.filter((name) => name.endsWith('.session.yaml')).length
  checks.push(ok('sessions', formatCount(sessions, 'session')))
  const torn = names.filter((name) => /\.(torn|unreplayed)$/.test(name))
  if (torn.length > 0)
    checks.push(
      warn(
        'torn files',
        `${formatCount(torn.length, 'file')} left over from interrupted writes: ${torn.slice(0, 3).join(', ')}`,
        `Inspect them in ${home.at('sessions')}, then delete them.`,
      ),
    )
  return [...checks, ...checkProcesses(home)]
}

function checkProcesses(home: Home): Check[] {
  const leases = namesIn(home.at('storage', 'leases'))
  const held = leases
    .filter((name) => name.endsWith('.lease'))
    .map((name) => name.slice(0, -'.lease'.length))
    .map((root) => ({ root, process: runningProcess(home, root) }))
  const alive = new Set(held.map(({ process }) => process?.token))
  // Other leases are not of runs: that of a daemon, for example.
  const runs = held.filter(({ root }) => existsSync(home.at('sessions', `${root}.session.yaml`)))
  const running = runs.flatMap(({ process }) => process ?? [])
  const dead = runs.flatMap(({ root, process }) => (process === undefined ? [root] : []))
  const pids = [...new Set(running.map(({ pid }) => pid))].join(', ')
  const checks = [
    ok(
      'running',
      running.length === 0 ? 'no runs' : `${formatCount(running.length, 'run')}, process ${pids}`,
    ),
  ]
  if (dead.length > 0)
    checks.push(
      warn(
        'stopped',
        `${formatCount(dead.length, 'run')} stopped, because the process ended: ${shownRoots(dead)}`,
        `No work is lost. Continue with "cadre resume ${dead.length === 1 ? dead[0] : 'ID'}".`,
      ),
    )
  const segments = namesIn(home.at('storage', 'wal')).filter((name) => !alive.has(name.split('.')[0] ?? ''))
  if (segments.length > 0)
    checks.push(
      warn(
        'segments',
        `${formatCount(segments.length, 'journal segment')} left over from processes that died`,
        'The next run repairs them automatically.',
      ),
    )
  return checks
}

const maxRoots = 5

function shownRoots(roots: readonly string[]): string {
  const more = roots.length > maxRoots ? `, and ${roots.length - maxRoots} more` : ''
  return `${roots.slice(0, maxRoots).join(', ')}${more}`
}

function nearestFolder(place: string): string {
  let folder = place
  while (!existsSync(folder) && path.dirname(folder) !== folder) folder = path.dirname(folder)
  return folder
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
