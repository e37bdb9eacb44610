/**
 * Watches `sessions/`: answers messages that people write there, and resumes unfinished sessions.
 *
 * 1. A file is read only if it has changed since the last check. Of an ended session, only the header and the last entry are read.
 * 2. Writes of this process cause no work.
 * 3. An unreadable file is reported as a problem until it is fixed, and does not affect others.
 */

import { CadreError, isEndedStatus, messageOf } from '@cadre/core'
import { namesIn, stampOf, systemErrorCode } from '@cadre/disk'
import { isUnsandboxedCommandRunning, runningProcess } from '@cadre/home'
import { endsWithEntry, readEndState } from '@cadre/journal'
import { type IdleState, idleStateOf } from '@cadre/runtime'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'
import type { Keeper } from './create-session-keeper.ts'

const folder = 'sessions'
const ending = '.session.yaml'
/** How many files are read per turn of the event loop. */
const filesPerTurn = 100

/** The known state of a session file. */
interface Known {
  readonly stamp: string
  readonly standing: IdleState['kind'] | 'broken'
  /** Set if the session has not ended. */
  readonly agent?: string
  readonly root?: string
}

export interface SessionsDuty extends Duty {
  /** Call it when a tree stops running here. Its files are as this process left them, or were edited since. */
  rested(sessions: readonly string[]): void
  /** Sessions that have not ended, by id. */
  unfinished(): ReadonlyMap<string, Known>
}

export interface SessionsDutyOptions {
  /** Called when a session starts or stops waiting for a person. */
  readonly asks: (sessions: readonly string[]) => void
}

export function createSessionsDuty(
  context: DaemonContext & { readonly sessions: Keeper },
  options: SessionsDutyOptions,
): SessionsDuty {
  const { home, engine, sessions, problems, note } = context
  const known = new Map<string, Known>()
  /** The unfinished sessions, which are few even in a large home. */
  const unfinished = new Map<string, Known>()
  /** Files to check later, because a running command could have written them. */
  const doubtful = new Set<string>()
  const left = new Set<string>()
  const pathOf = (id: string) => home.at(folder, `${id}${ending}`)
  const nameOf = (id: string) => `${folder}/${id}${ending}`

  const report = (id: string, error?: unknown) =>
    problems.report('journal', nameOf(id), error === undefined ? [] : [problemOf(error, pathOf(id))])

  const remember = (id: string, now: Known) => {
    known.set(id, now)
    if (now.standing === 'ended') unfinished.delete(id)
    else unfinished.set(id, now)
  }
  const forget = (id: string) => {
    known.delete(id)
    unfinished.delete(id)
    report(id)
  }
  /** Checks a file if it has changed. Returns its state if the session can continue. */
  const look = async (id: string): Promise<Known | undefined> => {
    const before = known.get(id)
    let stamp = ''
    try {
      const found = readEndState(pathOf(id), (stats) => {
        stamp = stampOf(stats).is
        return before?.stamp === stamp
      })
      if (found === 'known') return undefined
      if (found === 'absent') {
        if (before !== undefined) forget(id)
        return undefined
      }
      if (found.isReadyToCommit) {
        remember(id, { stamp, standing: 'ended' })
        if (before?.standing === 'broken') report(id)
        return undefined
      }
      const stored = await engine.read(id)
      if (stored === undefined) return undefined
      const now: Known = {
        stamp,
        standing: idleStateOf(stored).kind,
        agent: stored.spec.agent.name,
        root: stored.spec.root,
      }
      remember(id, now)
      report(id)
      return now
    } catch (error) {
      // The file is not the cause, so it is checked again.
      if (systemErrorCode(error) !== undefined) throw error
      // A file that could not be opened has no stamp, so it is checked again.
      remember(id, { stamp, standing: 'broken' })
      report(id, error)
      return undefined
    }
  }
  const checkAndResume = async (id: string) => {
    const before = known.get(id)
    const now = await look(id)
    if (now?.standing === 'asks' || before?.standing === 'asks') options.asks([id])
    if (now?.standing !== 'ready' && now?.standing !== 'delegates') return
    if (runningProcess(home, now.root ?? id) === undefined && before?.standing !== 'asks') {
      const about = { file: nameOf(id), session: id }
      // A file whose last entry Cadre wrote was left by a command, or by a process that died.
      if (endsWithEntry(pathOf(id)))
        note({ type: 'session.resumed', message: `resumed: ${nameOf(id)}`, ...about })
      else note({ type: 'session.edited', message: `edited by hand: ${nameOf(id)}`, ...about })
    }
    await goOn(id)
  }
  const goOn = async (id: string) => {
    try {
      await sessions.resume(id)
    } catch (error) {
      if (systemErrorCode(error) !== undefined) throw error
      problems.report('run', nameOf(id), [problemOf(error, pathOf(id))])
    }
  }

  return {
    name: 'sessions',
    folders: [folder],
    async start() {
      const ids = namesIn(home.at(folder)).flatMap((name) => idOf(name) ?? [])
      for (const [index, id] of ids.entries()) {
        if (index % filesPerTurn === filesPerTurn - 1) await new Promise((resolve) => setImmediate(resolve))
        await look(id)
      }
      const resumed = new Set<string>()
      const asking: string[] = []
      for (const [id, { standing, root }] of unfinished) {
        if (standing === 'asks') asking.push(id)
        if (standing !== 'ready' && standing !== 'delegates') continue
        // The run first. A child that a message has woken is resumed beside it.
        if (root !== undefined && known.get(root)?.standing !== 'ended') resumed.add(root)
        resumed.add(id)
      }
      options.asks(asking)
      for (const id of resumed) await goOn(id)
    },
    async changed(files) {
      const ids = files.flatMap((file) => idOf(file.slice(folder.length + 1)) ?? [])
      // An agent could have written the file.
      if (isUnsandboxedCommandRunning(home)) {
        for (const id of ids) if (!sessions.isOpenHere(id)) doubtful.add(id)
        return
      }
      for (const id of ids) {
        if (!sessions.isOpenHere(id)) await checkAndResume(id)
        sessions.edited?.(id)
      }
    },
    async tick() {
      if (doubtful.size > 0 && !isUnsandboxedCommandRunning(home)) {
        const ids = [...doubtful]
        doubtful.clear()
        for (const id of ids) {
          if (!sessions.isOpenHere(id)) await checkAndResume(id)
          sessions.edited?.(id)
        }
      }
      for (const id of [...left]) {
        left.delete(id)
        if (!sessions.isOpenHere(id)) await afterRun(id)
      }
      await sessions.retry()
      for (const [session, root] of sessions.elsewhere())
        if (runningProcess(home, root) === undefined) await sessions.resume(session)
    },
    rested(ids) {
      for (const id of ids) {
        if (sessions.isOpenHere(id)) continue
        left.delete(id)
        void afterRun(id).catch(() => left.add(id))
      }
    },
    unfinished: () => unfinished,
  }

  /** Only new messages of a person matter: everything else was left by the run that has just ended. */
  async function afterRun(id: string): Promise<void> {
    if (isUnsandboxedCommandRunning(home)) {
      doubtful.add(id)
      return
    }
    const before = known.get(id)
    const now = await look(id)
    if (now?.standing === 'asks' || before?.standing === 'asks') options.asks([id])
    if (now?.standing !== 'ready') return
    const stored = await engine.read(id)
    const isEnded = isEndedStatus(stored?.status)
    if (isEnded) await goOn(id)
  }
}

function idOf(name: string): string | undefined {
  return name.endsWith(ending) && !name.startsWith('.') ? name.slice(0, -ending.length) : undefined
}

/** Splits `path:line: sentence`. */
function problemOf(error: unknown, file: string) {
  const where = error instanceof CadreError ? error.where : undefined
  const line = Number(/:(\d+)$/.exec(where ?? '')?.[1] ?? Number.NaN)
  const message = messageOf(error)
  return {
    severity: 'error' as const,
    message:
      where !== undefined && message.startsWith(`${where}: `) ? message.slice(where.length + 2) : message,
    ...(where?.startsWith(file) && !Number.isNaN(line) && { line }),
  }
}
