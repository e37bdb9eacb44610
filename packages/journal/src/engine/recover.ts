import { readFileSync } from 'node:fs'
import { CadreError } from '@cadre/core'
import { isSameBoot, listFolder, type ProcessIdentity, syncPaths, unlinkIfExists } from '@cadre/disk'
import type { Home, Leases } from '@cadre/home'
import { isSessionName } from '@cadre/home'
import { type JournalDiagnostic, sessionPath } from './engine-parts.ts'
import { fileImages, replaySegments } from './replay-segments.ts'
import { decodeSegment, type Frame } from './segment-frames.ts'

export interface RecoverOptions {
  readonly home: Home
  readonly self: ProcessIdentity
  readonly leases: Leases
  readonly report: (diagnostic: JournalDiagnostic) => void
}

/** No session id starts with a dot. */
const recovery = '.recovery'
const recheckMs = 20

/**
 * Recovers the segments of dead processes. If the machine restarted since, writes missing entries to the session files; otherwise they are
 * complete and only need a sync. Then removes the segments.
 *
 * 1. One process at a time recovers. The others wait for it.
 * 2. It runs before a session is opened, so that no segment of a dead process has frames of that session.
 */
export async function recoverSessions(options: RecoverOptions): Promise<void> {
  while (deadSegments(options).length > 0) {
    if (!tryAcquire(options.leases)) {
      await new Promise((resolve) => setTimeout(resolve, recheckMs))
      continue
    }
    try {
      await recoverAll(options)
    } finally {
      options.leases.release(recovery)
    }
  }
}

interface DeadSegment {
  readonly path: string
  readonly token: string
  readonly number: number
}

/** Costs one directory read if there are none. */
export function deadSegments({ home, self, leases }: RecoverOptions): DeadSegment[] {
  const folder = home.at('storage', 'wal')
  const dead: DeadSegment[] = []
  for (const name of listFolder(folder)) {
    const [, token = '', number] = /^(.+)\.(\d+)\.wal$/.exec(name) ?? []
    if (number === undefined || token === self.token) continue
    if (!leases.livesStill(token)) dead.push({ path: `${folder}/${name}`, token, number: Number(number) })
  }
  return dead.sort((a, b) => a.token.localeCompare(b.token) || a.number - b.number)
}

async function recoverAll(options: RecoverOptions): Promise<void> {
  const { home, self } = options
  const segments = deadSegments(options)
  for (const token of new Set(segments.map((segment) => segment.token))) {
    const own = segments.filter((segment) => segment.token === token)
    const decoded = own.map((segment) => decodeSegment(readFileSync(segment.path)))
    const frames = decoded
      .flatMap((segment) => segment.frames)
      .filter((frame) => isSessionName(frame.session))
    const boot = decoded.find((segment) => segment.process !== undefined)?.process?.boot
    if (boot !== undefined && !isSameBoot(boot, self.boot)) replayAll(frames, options)
    const paths = new Set(frames.map((frame) => sessionPath(home, frame.session)))
    await syncAll([...paths, home.at('sessions')])
    for (const segment of own) unlinkIfExists(segment.path)
    await syncAll([home.at('storage', 'wal')])
  }
}

function replayAll(frames: readonly Frame[], { home, report }: RecoverOptions): void {
  for (const [session, image] of fileImages(frames)) {
    home.folder('sessions')
    const path = sessionPath(home, session)
    const replayed = replaySegments(path, image)
    const about = { session, where: path }
    if (replayed.kind === 'replayed') {
      report({
        ...about,
        code: 'segment.replayed',
        message: 'Cadre restored entries in the session file that were lost in a power failure.',
      })
    } else if (replayed.kind === 'kept') {
      const message = `The session file was changed after a power failure. Cadre kept the earlier entries as ${replayed.beside}.`
      report({ ...about, code: 'segment.kept', message })
    }
  }
}

function tryAcquire(leases: Leases): boolean {
  try {
    leases.acquire(recovery)
    return true
  } catch (error) {
    if (error instanceof CadreError && error.code === 'owned') return false
    throw error
  }
}

function syncAll(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) =>
    syncPaths(paths, (error) => (error === null ? resolve() : reject(error))),
  )
}
