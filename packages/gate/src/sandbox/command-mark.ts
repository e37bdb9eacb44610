import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { realPathOf } from '@cadre/disk'
import type { Home } from '@cadre/home'

/** Identifies the processes of one command. */
export interface CommandMark {
  readonly environment: NodeJS.ProcessEnv
  readonly text: string
}

export const markVariable = 'CADRE_COMMAND'

/** Different for every run of a command; contains the home and the call. */
export function markOf(key: string, home: Home | undefined): CommandMark {
  const value = `${randomBytes(16).toString('hex')}.${home === undefined ? '' : nameOf(home)}.${digestOf(key)}`
  return { environment: { [markVariable]: value }, text: `${markVariable}=${value}` }
}

/** Returns a function that detects the mark of any run of this call in the environment of a process. */
export function isMarkOf(key: string, home: Home): (environment: string) => boolean {
  const pattern = new RegExp(
    `(?:^|\0)${markVariable}=[0-9a-f]{32}\\.${nameOf(home)}\\.${digestOf(key)}(?:\0|$)`,
  )
  return (environment) => pattern.test(environment)
}

/**
 * Detects whether this process was started by an agent's command in this home: by the mark in its environment or in that of
 * an ancestor. Agents of other homes are not restricted here: the sandbox limits what they can reach.
 */
export function isInsideCommand(home: Home, environment: NodeJS.ProcessEnv): boolean {
  const name = nameOf(home)
  if (environment[markVariable]?.split('.')[1] === name) return true
  for (let pid = process.ppid, depth = 0; pid > 1 && depth < 100; depth++) {
    if (new RegExp(`(?:^|\0)${markVariable}=[0-9a-f]+\\.${name}(?:[.\0]|$)`).test(read(pid, 'environ')))
      return true
    const stat = read(pid, 'stat')
    // The program name in parentheses can contain anything; the fields after the last parenthesis are regular.
    pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
  }
  return false
}

function nameOf(home: Home): string {
  return digestOf(realPathOf(home.path))
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
