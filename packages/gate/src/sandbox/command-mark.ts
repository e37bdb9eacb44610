import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { realPathOf } from '@cadre/disk'
import type { Home } from '@cadre/home'

/** How the processes of one command are recognised. */
export interface Mark {
  readonly environment: NodeJS.ProcessEnv
  readonly text: string
}

export const markVariable = 'CADRE_COMMAND'

/** Other for every run of a command; the home in it is known again. */
export function markOf(key: string, home: Home | undefined): Mark {
  const random = createHash('sha256').update(key).update(randomBytes(16)).digest('hex').slice(0, 32)
  const value = `${random}.${home === undefined ? '' : nameOf(home)}`
  return { environment: { [markVariable]: value }, text: `${markVariable}=${value}` }
}

/**
 * Whether this process was started by a command of an agent that works in this home, as far as can be told: by the mark in its
 * environment, or in that of a process above it. Agents that work in another home may do what they like here: what they can
 * reach is the sandbox's business.
 */
export function isInsideCommand(home: Home, environment: NodeJS.ProcessEnv): boolean {
  const name = nameOf(home)
  if (environment[markVariable]?.split('.')[1] === name) return true
  for (let pid = process.ppid, depth = 0; pid > 1 && depth < 100; depth++) {
    if (new RegExp(`(?:^|\0)${markVariable}=[0-9a-f]+\\.${name}(?:\0|$)`).test(read(pid, 'environ')))
      return true
    const stat = read(pid, 'stat')
    // The name, in parentheses, may hold anything; what follows its last one is regular.
    pid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0)
  }
  return false
}

function nameOf(home: Home): string {
  return createHash('sha256').update(realPathOf(home.path)).digest('hex').slice(0, 16)
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
