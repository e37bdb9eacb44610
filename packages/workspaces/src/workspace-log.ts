import { git } from '@cadre/disk'
import type { WorkTreeRequest } from './workspace-git.ts'
import type { WorkspaceRecord } from './workspace-record.ts'

/** One commit of Cadre in a workspace, with the previous one: the difference is the change. */
export interface WorkspaceCommit {
  readonly commit: string
  readonly before: string
  readonly subject: string
  readonly session?: string
  readonly call?: string
  readonly agent?: string
  /** The commits that it undoes. */
  readonly undoes: readonly string[]
}

/** The commits in a workspace, oldest first. */
export async function workspaceLog(
  record: WorkspaceRecord,
  at: WorkTreeRequest,
): Promise<readonly WorkspaceCommit[]> {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x20)`
  const format = ['%H', '%s', ...['Session', 'Call', 'Agent', 'Undoes'].map(trailer)].join('%x00')
  const range = [record.tip, `^${record.start}`]
  const listed = await git(['log', '-z', '--first-parent', '--reverse', `--format=${format}`, ...range], at)
  const parts = listed.split('\0')
  const steps: WorkspaceCommit[] = []
  let before = record.start
  for (let i = 0; i + 5 < parts.length; i += 6) {
    const [commit = '', subject = '', session, call, agent, undoes = ''] = parts.slice(i, i + 6)
    // A commit of the agent is part of the next step.
    if (!session && !undoes) continue
    steps.push({
      commit,
      before,
      subject,
      ...(session && { session }),
      ...(call && { call }),
      ...(agent && { agent }),
      undoes: undoes.split(' ').filter((id) => id !== ''),
    })
    before = commit
  }
  return steps
}
