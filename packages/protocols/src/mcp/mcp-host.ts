/**
 * Owns what all connections of one server process share: the sessions of the home, and the number of calls.
 *
 * 1. The home is determined for each call, because a person may trust it while the server is running.
 * 2. Sessions of a home are opened once, and closed with the server. Delegated runs are not affected.
 */
import { type Environment, homeOfRun, openSessions, type Sessions } from '@cadre/runtime'
import type { Delegation } from './delegation.ts'
import { type Delegations, openDelegations } from './delegations.ts'
import { withoutTrust } from './run-delegation.ts'

export interface McpHostOptions {
  readonly environment: Environment
  /** `--home`. */
  readonly home?: string | undefined
  /** The folder that the agents may change. */
  readonly workspace: string
  readonly version: string
  /** Every delegated run is read-only. */
  readonly readOnly?: boolean | undefined
  /** Starts a process that runs the delegation, and does not wait for it. Its output goes to `log`. */
  readonly launch: (delegation: Delegation, log: string) => void
}

export interface McpHost extends McpHostOptions {
  delegations(): Promise<Delegations>
  /** Counts a call while it is running. Returns undefined if there are too many. */
  enter(): (() => void) | undefined
  close(): Promise<void>
}

/** Calls that the server works on at the same time. */
const maxCalls = 64

export function openMcpHost(options: McpHostOptions): McpHost {
  // Cadre determines the home from the folder of the work.
  const environment: Environment = { ...withoutTrust(options.environment), cwd: options.workspace }
  const opened = new Map<
    string,
    Promise<{ readonly sessions: Sessions; readonly delegations: Delegations }>
  >()
  let calls = 0
  const open = async (path: string) => {
    const sessions = await openSessions(environment, path)
    return { sessions, delegations: openDelegations(sessions, options.launch) }
  }
  return {
    ...options,
    environment,
    async delegations() {
      const { path } = await homeOfRun(environment, { home: options.home })
      const known = opened.get(path) ?? open(path)
      opened.set(path, known)
      // A home that could not be opened may be usable later.
      known.catch(() => opened.delete(path))
      return (await known).delegations
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
