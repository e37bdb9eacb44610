import type { WorkspaceState } from './workspace-state.ts'

/** Where the changes of a session are, and what to do about them. */
export function shownChanges({ session, kind, branch, path, commits, files }: WorkspaceState): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
  const where = kind === 'worktree' ? `on the branch ${branch}` : `in ${path}`
  return `The changes of ${session} are ${where} (${count(commits, 'commit')}, ${count(files.length, 'file')}) and not merged: see them with \`cadre workspace diff ${session}\`, take them over with \`cadre workspace merge ${session}\`.`
}
