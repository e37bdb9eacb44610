import path from 'node:path'
import type { Entry, SessionSpec } from '@cadre/core'
import type { Home } from '@cadre/home'
import { truncateJournal } from '@cadre/journal'
import { filesNamedBy } from '@cadre/tools'
import { createWorkspaces } from '@cadre/workspaces'
import { editSessionFile, requireSessionBytes } from './edit-session-file.ts'

/** What a rewind removes, and what remains on disk. */
export interface Rewound {
  /** The first removed entry. Lower than the requested number if that entry is in the middle of a round whose calls have run. */
  readonly seq: number
  /** The number of removed entries. */
  readonly removed: number
  /** Sessions that the removed calls started. They are kept. */
  readonly children: readonly string[]
  /** Commits in the session's own workspace with changes by the removed calls, newest first. They are kept. */
  readonly commits: readonly {
    readonly commit: string
    readonly call: string
    readonly files: readonly string[]
  }[]
  /** If the session does not have its own workspace: files and folders that the removed calls wrote. They do not change. Changes by commands are not included. */
  readonly files: readonly string[]
}

export interface RewindRequest {
  readonly spec: SessionSpec
  readonly seq: number
  /** Only report what would happen. */
  readonly dryRun?: boolean
  /** Called with the file's bytes before a change. Throws if the caller has not seen these bytes. */
  readonly check?: (bytes: Buffer) => void
}

/** Removes a journal entry and everything after it. The rest of the file does not change, except for the status in its header. */
export async function rewindSession(home: Home, request: RewindRequest): Promise<Rewound> {
  const { spec, seq, dryRun = false, check = () => {} } = request
  const now = new Date().toISOString()
  const before = requireSessionBytes(home, spec.id)
  check(before)
  let removed = truncateJournal(before, seq, now).removed
  if (!dryRun)
    await editSessionFile(home, spec, (bytes) => {
      check(bytes)
      const cut = truncateJournal(bytes, seq, now)
      removed = cut.removed
      return cut.bytes
    })
  return {
    seq: removed[0]?.seq ?? seq,
    removed: removed.length,
    children: childrenOf(removed),
    ...(await changesOf(home, spec, removed)),
  }
}

function childrenOf(removed: readonly Entry[]): readonly string[] {
  const children = removed.flatMap((entry) =>
    entry.role === 'event' && entry.type === 'call.started' && entry.child !== undefined ? [entry.child] : [],
  )
  return [...new Set(children)]
}

async function changesOf(
  home: Home,
  { id, workspace, isolation }: SessionSpec,
  removed: readonly Entry[],
): Promise<Pick<Rewound, 'commits' | 'files'>> {
  const calls = new Set(
    removed.flatMap((entry) => (entry.role === 'tool_result' ? [entry.tool_call_id] : [])),
  )
  if (isolation?.kind === 'own')
    return { commits: await commitsOf(home, isolation.session, id, calls), files: [] }
  const files = new Set<string>()
  for (const entry of removed) {
    if (entry.role !== 'assistant') continue
    for (const { id: call, function: given } of entry.tool_calls ?? []) {
      if (!calls.has(call) || !isDone(removed, call)) continue
      const named = await filesNamedBy({ spelling: given.name, arguments: given.arguments })
      for (const file of named) files.add(path.relative(workspace, path.resolve(workspace, file)))
    }
  }
  return { commits: [], files: [...files].sort() }
}

function isDone(removed: readonly Entry[], call: string): boolean {
  return removed.some(
    (entry) => entry.role === 'tool_result' && entry.tool_call_id === call && entry.outcome === undefined,
  )
}

async function commitsOf(
  home: Home,
  owner: string,
  session: string,
  calls: ReadonlySet<string>,
): Promise<Rewound['commits']> {
  const workspaces = createWorkspaces({ home })
  const { steps } = await workspaces.diff(owner).catch(() => ({ steps: [] }))
  const meant = steps.filter((step) => step.session === session && calls.has(step.call ?? ''))
  const commits = []
  for (const { commit, call = '' } of meant.toReversed())
    commits.push({ commit, call, files: filesIn((await workspaces.diff(owner, { call })).patch) })
  return commits
}

function filesIn(patch: string): readonly string[] {
  return [...new Set([...patch.matchAll(/^(?:\+\+\+ b|--- a)\/(.+)$/gm)].map(([, name = '']) => name))]
}
