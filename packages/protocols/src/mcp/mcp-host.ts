/**
 * Owns the state that all connections of a server process share: the home's sessions, and the number of calls.
 *
 * 1. The home is determined for each call, because a person may trust it while the server is running.
 * 2. A home's sessions are opened once, and closed with the server. Delegated runs are not affected.
 */
import { type Environment, homeForRun, openSessions, type Sessions } from '@cadre/runtime'
import type { DelegatedRun } from './delegated-run.ts'
import { type DelegatedRuns, openDelegatedRuns } from './delegated-runs.ts'
import { withoutTrust } from './execute-delegated-run.ts'

export interface McpHostOptions {
  readonly environment: Environment
  /** `--home`. */
  readonly home?: string | undefined
  /** The folder that the agents may change. */
  readonly workspace: string
  readonly version: string
  /** True if every delegated run is read-only. */
  readonly readOnly?: boolean | undefined
  /** Starts a process that runs the work, and does not wait for it. Its output is written to `log`. */
  readonly launch: (delegatedRun: DelegatedRun, log: string) => void
}

export interface McpHost extends McpHostOptions {
  delegatedRuns(): Promise<DelegatedRuns>
  /** Counts a call while it is running. Returns undefined if there are too many. */
  enter(): (() => void) | undefined
  close(): Promise<void>
}

/** The number of calls that the server handles at the same time. */
const maxCalls = 64

export function openMcpHost(options: McpHostOptions): McpHost {
  // Cadre determines the home from the work's folder.
  const environment: Environment = { ...withoutTrust(options.environment), cwd: options.workspace }
  const opened = new Map<
    string,
    Promise<{ readonly sessions: Sessions; readonly delegatedRuns: DelegatedRuns }>
  >()
  let calls = 0
  const open = async (path: string) => {
    const sessions = await openSessions(environment, path)
    return { sessions, delegatedRuns: openDelegatedRuns(sessions, options.launch) }
  }
  return {
    ...options,
    environment,
    async delegatedRuns() {
      const { path } = await homeForRun(environment, { home: options.home })
      const known = opened.get(path) ?? open(path)
      opened.set(path, known)
      // A home that could not be opened may be usable later.
      known.catch(() => opened.delete(path))
      return (await known).delegatedRuns
    },
    enter() {
      if (calls >= maxCalls) return undefined
      calls += 1
      return () => {
        calls -= 1
      }
    },
    async close() {
      const all = await Promise.allSettled(opened.values())
      for (const one of all) if (one.status === 'fulfilled') await one.value.sessions.close()
    },
  }
}
