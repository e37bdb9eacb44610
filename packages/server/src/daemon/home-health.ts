/**
 * Owns the question whether the home can be written. Asked every second by the daemon, and by whoever failed to write.
 *
 * 1. Nothing is written to find out while nothing speaks against it: the system is asked what is free, and what is allowed.
 * 2. What it says holds for everything in the home: one problem, however many things fail with it.
 * 3. When it can be written again that is told once, so that everything that waits for it goes on.
 */
import { accessSync, closeSync, constants, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { Problems } from '@cadre/channels'
import { systemTrouble } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { describeTrouble } from './describe-trouble.ts'

export interface HomeHealth {
  /** Something could not be written. True when that is the machine's doing, so that it can be tried again as it was. */
  suspect(error: unknown): boolean
  /** Finds out. To be called every now and then. */
  look(): void
  readonly isWell: boolean
}

export interface HomeHealthOptions {
  readonly home: Home
  readonly problems: Problems
  readonly recovered: () => void
}

const about = 'home'
const place = '[home]'
/** So much must fit before it is said that there is space again: what waits needs more than a byte. */
const enough = 64 << 10
const longestPause = 60_000

export function watchHealth({ home, problems, recovered }: HomeHealthOptions): HomeHealth {
  let isWell = true
  /** Something that can be written and still fails, again and again, must not make everything begin anew every second. */
  let pause = 0
  let notBefore = 0
  let recoveredAt = Number.NEGATIVE_INFINITY

  const find = (why: string | undefined) => {
    problems.report(about, place, why === undefined ? [] : [{ severity: 'error', message: why }])
    const wasWell = isWell
    isWell = why === undefined
    if (!isWell || wasWell) return
    recoveredAt = performance.now()
    recovered()
  }
  return {
    get isWell() {
      return isWell
    },
    suspect(error) {
      const code = systemTrouble(error)
      if (code === undefined) return false
      // Said at once: whoever looks at the status now wants to know.
      if (isWell) {
        const now = performance.now()
        pause = now - recoveredAt > longestPause ? 0 : Math.min(longestPause, Math.max(1000, pause * 2))
        notBefore = now + pause
        find(sentence(error))
      }
      return true
    },
    look() {
      if (isWell && looksWell(home)) return
      if (performance.now() >= notBefore) find(probe(home))
    },
  }
}

function looksWell(home: Home): boolean {
  try {
    accessSync(home.path, constants.W_OK)
    const { bavail, bsize } = statfsSync(home.path)
    return bavail * bsize > enough
  } catch {
    return false
  }
}

/** Why nothing can be written; nothing when it can. */
function probe(home: Home): string | undefined {
  const file = path.join(home.path, 'storage', `.probe.${process.pid}.tmp`)
  try {
    home.folder('storage')
    const handle = openSync(file, 'w', 0o600)
    try {
      const bytes = Buffer.alloc(enough)
      for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done)
    } finally {
      closeSync(handle)
    }
    return undefined
  } catch (error) {
    return sentence(error)
  } finally {
    try {
      rmSync(file, { force: true })
    } catch {
      // It could not be made either, or goes with the next look.
    }
  }
}

function sentence(error: unknown): string {
  return `${describeTrouble(error)}. No data is lost, and work continues as soon as Cadre can write again.`
}
