import type { GitRequest } from '@cadre/disk'
import { safeGitSettings } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { indexFile, type WorkspaceRecord } from './workspace-record.ts'

export type WorkTreeRequest = GitRequest & { readonly gitDir: string; readonly workTree: string }

/** Git in a workspace, based on Cadre's record: the `.git` in the folder and the agent's index are never used. */
export async function gitInWorkspace(
  home: Home,
  record: WorkspaceRecord,
  signal?: AbortSignal,
): Promise<WorkTreeRequest & { readonly index: string }> {
  const { gitDir, top, session, kind } = record
  const at = { cwd: home.path, gitDir, workTree: top, index: indexFile(home, session), signal }
  return kind === 'repository' ? at : { ...at, settings: await safeGitSettings(at) }
}

/** Git in a person's repository. */
export async function gitInRepository(
  { gitDir, top }: { readonly gitDir: string; readonly top: string },
  cwd: string,
  signal?: AbortSignal,
): Promise<WorkTreeRequest> {
  const at = { cwd, gitDir, workTree: top, signal }
  return { ...at, settings: await safeGitSettings(at) }
}
