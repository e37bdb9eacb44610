import type { ExportedRun, ExportedSession } from '@cadre/api'
import { CadreError, type Json, type StoredSession } from '@cadre/core'
import { secretValues } from '@cadre/disk'
import { approvalsIn, maskedJson } from '@cadre/gate'
import { factsOfSession } from '../index/facts-of-session.ts'
import { createSessionIndex } from '../index/session-index.ts'
import { approvalView } from '../routes/approval-view.ts'
import { readCallDetail } from '../routes/read-call-detail.ts'
import { sessionDetail } from '../routes/session-detail.ts'

export interface ExportRunOptions {
  /** One run's sessions. */
  readonly sessions: readonly StoredSession[]
  readonly root: string
  /** The session that the page shows first. */
  readonly shown: string
  /** Whether a process is running it. If so, the export includes its current activity. */
  readonly isRunning: boolean
  /** The environment. Its secret values are masked everywhere. */
  readonly env: NodeJS.ProcessEnv
  readonly version: string
  readonly now: string
}

/**
 * A run as one value, with secrets masked as in the audit log. It has the same types as the API, so that the page can show it the same way.
 */
export async function exportRun(options: ExportRunOptions): Promise<ExportedRun> {
  const { sessions, root, shown, isRunning, env, version, now } = options
  const byId = new Map(sessions.map((stored) => [stored.spec.id, stored]))
  const index = createSessionIndex({ changed: () => {}, removed: () => {} })
  for (const stored of sessions) index.set(factsOfSession(stored, () => isRunning))
  const rows = index.tree(root)
  if (rows.length === 0) throw new CadreError('not_found', `there is no session ${JSON.stringify(root)}.`)
  const exported = rows.flatMap((row): ExportedSession[] => {
    const stored = byId.get(row.id)
    if (stored === undefined) return []
    return [{ detail: sessionDetail(stored, row), entries: stored.entries, calls: callsOf(stored) }]
  })
  const reader = { sessions: { read: async (id: string) => byId.get(id), bytes: () => undefined } }
  const records = rows.flatMap(({ id }) => {
    const stored = byId.get(id)
    return stored === undefined ? [] : approvalsIn(stored)
  })
  const approvals = await Promise.all(records.map((record) => approvalView(record, reader)))
  const run: ExportedRun = {
    format: 1,
    version,
    exportedAt: now,
    root,
    shown: byId.has(shown) ? shown : root,
    sessions: exported,
    approvals,
  }
  return maskedJson(run as unknown as Json, secretsIn(env)) as unknown as ExportedRun
}

/** Secret values, both unescaped and escaped as in the JSON of a call's arguments, which may be quoted twice. */
function secretsIn(env: NodeJS.ProcessEnv): readonly string[] {
  const quoted = (text: string) => JSON.stringify(text).slice(1, -1)
  const values = secretValues(env).flatMap((value) => [value, quoted(value), quoted(quoted(value))])
  return [...new Set(values)].sort((a, b) => b.length - a.length)
}

/** Calls that have data which the entries do not contain. */
function callsOf(stored: StoredSession) {
  return stored.entries.flatMap((entry) => {
    if (entry.role !== 'assistant') return []
    return (entry.tool_calls ?? []).flatMap(({ id }) => {
      const detail = readCallDetail(stored, id)
      return detail?.commit === undefined && detail?.patch === undefined ? [] : [detail]
    })
  })
}
