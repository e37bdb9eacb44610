import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { findGit } from './find-git.ts'

/** Cached by the environment variables it depends on. */
const known = new Map<string, Promise<string | undefined>>()

/** The user's global ignore file. Files that it ignores may be secret, and are not part of the work. */
export function userIgnores(): Promise<string | undefined> {
  const { HOME, PATH, XDG_CONFIG_HOME } = process.env
  const key = JSON.stringify([HOME, PATH, XDG_CONFIG_HOME])
  const found = known.get(key) ?? findIgnoreFile()
  known.set(key, found)
  return found
}

async function findIgnoreFile(): Promise<string | undefined> {
  const home = process.env['HOME'] || homedir()
  const defaultFile = path.join(process.env['XDG_CONFIG_HOME'] || path.join(home, '.config'), 'git', 'ignore')
  const file = (await configured(home)) ?? defaultFile
  return existsSync(file) ? file : undefined
}

function configured(home: string): Promise<string | undefined> {
  const { PATH, XDG_CONFIG_HOME } = process.env
  const env = { PATH, HOME: home, ...(XDG_CONFIG_HOME && { XDG_CONFIG_HOME }) }
  return new Promise((resolve) => {
    try {
      const args = ['config', '--global', '--path', '--get', 'core.excludesFile']
      execFile(findGit(), args, { cwd: '/', env, timeout: 10_000 }, (error, stdout) =>
        resolve(error === null && stdout.trim() !== '' ? stdout.trim() : undefined),
      )
    } catch {
      resolve(undefined)
    }
  })
}
