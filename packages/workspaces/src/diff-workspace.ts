import { git } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { tipCommit } from './commit-changes.ts'
import { gitInWorkspace } from './workspace-git.ts'
import { type WorkspaceCommit, workspaceLog } from './workspace-log.ts'
import type { WorkspaceRecord } from './workspace-record.ts'

export interface WorkspaceDiff {
  /** One line per file, and one for the total. */
  readonly stat: string
  readonly patch: string
  /** Its commits, oldest first. */
  readonly steps: readonly WorkspaceCommit[]
}

/** Returns the changes in a workspace since its start, or of one call. Only committed changes; runs nothing in it. */
export async function diffWorkspace(
  home: Home,
  record: WorkspaceRecord,
  { call }: { readonly call?: string | undefined } = {},
): Promise<WorkspaceDiff> {
  const at = await gitInWorkspace(home, record)
  const tip = await tipCommit(record, at)
  const log = await workspaceLog({ ...record, tip }, at)
  const steps = call === undefined ? log : log.filter((step) => step.call === call)
  const ranges =
    call === undefined
      ? [[record.start, tip] as const]
      : steps.map(({ before, commit }) => [before, commit] as const)
  const plain = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none']
  const parts = { stat: '', patch: '' }
  for (const range of ranges) {
    parts.stat += await git([...plain, '--stat=120', ...range, '--'], at)
    parts.patch += await git([...plain, '-p', ...range, '--'], at)
  }
  return { ...parts, steps }
}
