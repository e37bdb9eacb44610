import path from 'node:path'
import { CadreError } from '@cadre/core'
import { ignoredFilesIn, isInside } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { commitChanges } from './commit-changes.ts'
import { gitInWorkspace } from './workspace-git.ts'
import type { WorkspaceRecord } from './workspace-record.ts'

/** Adds the ignored files that a person requested to the merge. Rejects if one does not exist. */
export async function includeIgnored(
  home: Home,
  record: WorkspaceRecord,
  wanted: readonly string[],
): Promise<WorkspaceRecord> {
  if (wanted.length === 0) return record
  const at = await gitInWorkspace(home, record)
  const paths: string[] = []
  for (const name of wanted) {
    const place = path.join(record.top, name)
    const files = isInside(record.top, place)
      ? await ignoredFilesIn([path.relative(record.top, place)], at)
      : []
    if (files.length === 0)
      throw new CadreError('not_found', `the workspace has no ignored file ${JSON.stringify(name)}.`, {
        where: record.top,
      })
    paths.push(...files.map((file) => path.join(record.top, file)))
  }
  const { session, agent } = record
  return commitChanges(home, record, { subject: `Include ${wanted.join(', ')}`, session, agent, paths })
}
