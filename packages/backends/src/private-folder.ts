import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { absoluteOrUndefined } from './copilot-folder.ts'

/**
 * Creates a folder for the files of one program, readable only by this user. Deletes folders that dead processes left;
 * `abandoned` receives the name of each first.
 */
export function createPrivateFolder(
  env: { readonly [name: string]: string | undefined },
  backend: string,
  abandoned: (name: string) => void = () => {},
): string {
  const home = env['HOME'] || os.homedir()
  const state = absoluteOrUndefined(env['XDG_STATE_HOME']) ?? path.join(home, '.local', 'state')
  const base = path.join(state, 'cadre', backend)
  mkdirSync(base, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(base)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1])
    if (!(pid > 0) || isRunning(pid)) continue
    abandoned(name)
    removeFolder(path.join(base, name))
  }
  return mkdtempSync(path.join(base, `${process.pid}-`))
}

export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 })
  } catch {
    // The next program deletes it.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
