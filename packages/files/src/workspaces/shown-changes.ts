import type { WorkspaceState } from './workspace-state.ts'

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`
const mostNames = 10

/** Where the changes of a session are, and what to do about them. */
export function shownChanges({ session, kind, branch, path, commits, files }: WorkspaceState): string {
  const where = kind === 'worktree' ? `on the branch ${branch}` : `in ${path}`
  return `The changes of ${session} are ${where} (${count(commits, 'commit')}, ${count(files.length, 'file')}) and not merged: see them with \`cadre workspace diff ${session}\`, take them over with \`cadre workspace merge ${session}\`.`
}

/** Describes the ignored files that would be lost with a workspace, if there are any. */
export function shownIgnored({ session, path, ignored }: WorkspaceState): string | undefined {
  if (ignored.length === 0) return undefined
  const names = ignored.slice(0, mostNames).join(', ')
  const more = ignored.length > mostNames ? ` and ${ignored.length - mostNames} more` : ''
  return `Git ignores these files of ${session}, and they stay in ${path}: ${names}${more}. Take them over with \`cadre workspace merge ${session} --include PATH\`, or discard them with \`cadre workspace clean ${session} --force\`.`
}
