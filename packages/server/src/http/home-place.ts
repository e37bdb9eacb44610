import { statSync } from 'node:fs'
import path from 'node:path'
import { isFolder, listFolder, realPathOf } from '@cadre/disk'
import { type Home, openHome } from '@cadre/home'
import { readStoredSession } from '@cadre/journal'
import type { Environment } from '@cadre/runtime'
import { readStatus } from '../daemon/acquire-home.ts'

const ending = '.session.yaml'
/** How many session files are read to find a workspace. */
const maxFiles = 20

/** Returns the path for `--home` if a command in the current folder would find another home. */
export function homeFlagOf(home: Home, { cwd, env }: Pick<Environment, 'cwd' | 'env'>): string | undefined {
  const found = openHome({ cwd, env }).path
  return realPathOf(found) === realPathOf(home.path) ? undefined : home.path
}

/**
 * The folder that the agents of a home work in: the one that contains `.cadre`. For a home with another name, the folder of its last daemon
 * or of its newest run, else the current folder.
 */
export function workspaceOf(home: Home, cwd: string): string {
  const { dir, base } = path.parse(home.path)
  if (base === '.cadre') return dir
  const recorded = readStatus(home)?.workspace ?? ''
  return recorded !== '' && isFolder(recorded) ? recorded : (newestWorkspace(home) ?? cwd)
}

function newestWorkspace(home: Home): string | undefined {
  const files = listFolder(home.at('sessions')).flatMap((name) => {
    if (!name.endsWith(ending)) return []
    const stats = statSync(home.at('sessions', name), { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ id: name.slice(0, -ending.length), at: stats.mtimeMs }]
  })
  for (const { id } of files.sort((a, b) => b.at - a.at).slice(0, maxFiles)) {
    const workspace = recordedIn(home, id)
    if (workspace && isFolder(workspace)) return workspace
  }
  return undefined
}

/** Sessions below others can have a workspace of their own. */
function recordedIn(home: Home, id: string): string | undefined {
  try {
    const spec = readStoredSession(home, id)?.spec
    return spec?.parent === undefined ? spec?.workspace : undefined
  } catch {
    // "cadre status" reports a file that cannot be read.
    return undefined
  }
}
