import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { Hook } from './hook.ts'
import { projectFilesOf } from './project-files-of.ts'
import { type HookScript, scriptsOf, wordsOf } from './scripts-of.ts'

export interface HookFolders {
  readonly project: string
  readonly userHome: string
  readonly home: string
}

/**
 * Returns all files that a hook runs in the project, and the scripts that it names by their full path or by `~` or `$HOME` in the user's
 * folders, with their content. To compare machines, not to decide about trust.
 */
export function hookScripts(
  { action, cwd }: Pick<Hook, 'action' | 'cwd'>,
  { project, userHome, home }: HookFolders,
): readonly HookScript[] {
  if (action.kind !== 'command') return []
  const expand = (text: string) =>
    text.replaceAll(
      /(^|[\s;&|(="'])(?:~(?=\/)|\$HOME\b|\$\{HOME\})/g,
      (_, before: string) => before + userHome,
    )
  const { command, args = [] } = action
  const hook = {
    action: { ...action, command: expand(command), args: args.map(expand) },
    ...(cwd !== undefined && { cwd }),
  }
  const elsewhere = wordsOf(hook.action, project).filter(
    (word) => path.isAbsolute(word) && !isInside(project, word),
  )
  const named = { action: { kind: 'command', command: '', args: elsewhere } as const }
  return [
    ...scriptsOf(hook, project),
    ...projectFilesOf(hook, project),
    ...[userHome, home].flatMap((folder) => scriptsOf(named, folder)),
  ]
}
