/**
 * Watches the agents: new ones can be used immediately, problems in files are reported until they are fixed, and the sessions of removed
 * agents are ended.
 *
 * 1. An agent counts as removed when two checks in a row find no file with its name, because some editors delete a file and write it again.
 * 2. A broken file still exists, so its sessions continue.
 * 3. The known agents are remembered across restarts.
 */
import path from 'node:path'
import { type AgentRegistry, agentNameFromPath } from '@cadre/agents'
import { writeFileAtomically } from '@cadre/channels'
import { nameKey } from '@cadre/core'
import { type Diagnostic, readRegularFile } from '@cadre/disk'
import { isUnsandboxedCommandRunning } from '@cadre/home'
import type { DaemonContext } from '../daemon-context.ts'
import type { Duty } from '../duty.ts'

export interface AgentsDutyOptions {
  readonly registry: () => AgentRegistry
  /** Sessions that have not ended, and their agents. */
  readonly unfinished: () => Iterable<readonly [session: string, agent: string]>
}

/** Milliseconds between checks of folders outside the home, which are not watched. */
const every = 5000

export function createAgentsDuty(context: DaemonContext, options: AgentsDutyOptions): Duty {
  const { home, sessions, problems, note } = context
  const file = home.at('storage', 'cursors', 'agents.json')
  let names: ReadonlySet<string> | undefined
  let missing = new Set<string>()
  let reported = new Set<string>()
  let checkedAt = 0

  const look = async (now: number) => {
    checkedAt = now
    // An agent may have written the files.
    if (isUnsandboxedCommandRunning(home)) return
    const { agents, files, diagnostics } = options.registry().loaded()
    const broken = files.flatMap(({ path: one, status }) =>
      status === 'failed' ? [nameKey(agentNameFromPath(one))] : [],
    )
    const found = new Map(agents.map(({ name }) => [nameKey(name), name]))
    const there = new Set([...found.keys(), ...broken])
    const before = names ?? readRememberedNames(file)
    for (const [key, name] of found)
      if (before !== undefined && !before.has(key))
        note({ type: 'agent.added', message: `Agent ${name} was added.`, agent: name })
    const gone = [...(before ?? [])].filter((key) => !there.has(key))
    // At the first check, a missing agent was removed while no daemon was running.
    const removed = names === undefined ? gone : gone.filter((key) => missing.has(key))
    missing = new Set(gone.filter((key) => !removed.includes(key)))
    report(diagnostics)
    for (const key of removed) await endSessionsOf(key)
    const kept = new Set([...there, ...missing])
    if (names === undefined || names.size !== kept.size || [...kept].some((key) => !names?.has(key))) {
      names = kept
      writeFileAtomically(home, ['storage', 'cursors', 'agents.json'], JSON.stringify([...kept].sort()))
    }
  }
  const report = (diagnostics: ReturnType<AgentRegistry['loaded']>['diagnostics']) => {
    const byFile = new Map<string, (typeof diagnostics)[number][]>()
    for (const one of diagnostics) {
      const name = shownPath(home.path, one.path)
      if (!isShown(one, name)) continue
      byFile.set(name, [...(byFile.get(name) ?? []), one])
    }
    for (const name of reported) if (!byFile.has(name)) problems.report('agent', name, [])
    for (const [name, found] of byFile)
      problems.report(
        'agent',
        name,
        found.map(({ severity, message, line, code }) => ({
          severity: severity === 'error' ? ('error' as const) : ('warning' as const),
          message,
          code,
          ...(line !== undefined && { line }),
        })),
      )
    reported = new Set(byFile.keys())
  }
  const endSessionsOf = async (key: string) => {
    note({ type: 'agent.removed', message: `Agent ${key} was removed.`, agent: key })
    for (const [session, agent] of [...options.unfinished()])
      if (nameKey(agent) === key) await sessions.cancel(session, `the session's agent ${agent} was removed`)
  }

  return {
    name: 'agents',
    folders: ['templates'],
    start: () => look(context.clock.now()),
    changed: () => look(context.clock.now()),
    async tick(now) {
      if (missing.size > 0 || Math.abs(now - checkedAt) >= every) await look(now)
    },
  }
}

/** Shows errors, and for templates most warnings too. `cadre lint` reports everything else. */
function isShown({ severity, code }: Diagnostic, name: string): boolean {
  if (severity === 'error') return true
  return severity === 'warning' && code !== 'description-missing' && name.startsWith('templates/')
}

function readRememberedNames(file: string): ReadonlySet<string> | undefined {
  try {
    const names: unknown = JSON.parse(readRegularFile(file).toString('utf8'))
    return Array.isArray(names) ? new Set(names.filter((name) => typeof name === 'string')) : undefined
  } catch {
    return undefined
  }
}

function shownPath(home: string, file: string): string {
  const below = path.relative(home, file)
  return below.startsWith('..') || path.isAbsolute(below) ? file : below.split(path.sep).join('/')
}
