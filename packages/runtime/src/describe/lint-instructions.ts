import { type LintedFile, shownPath } from '@cadre/agents'
import type { Diagnostic } from '@cadre/disk'
import { findPermissions } from '@cadre/gate'
import { findInstructions, findPromptFiles, findSkills } from '@cadre/knowledge'

export interface InstructionFolders {
  /** The folder, including its Claude Code settings. */
  readonly folder: string
  readonly userHome: string
}

/** Returns the problems in the instructions, skills, prompt files and permissions of a folder. */
export function findInstructionProblems({ folder, userHome }: InstructionFolders): readonly Diagnostic[] {
  // Problems in the user's own files are not problems of the folder.
  const places = { workspace: folder, userHome }
  const found = [
    ...findInstructions(places).diagnostics,
    ...findSkills(places).diagnostics,
    ...findPromptFiles(places).diagnostics,
    ...findPermissions({ project: folder, userHome, trusted: () => true }).diagnostics,
  ]
  const seen = new Set<string>()
  return found.filter(({ path, line, message }) => {
    const key = `${path} ${line} ${message}`
    return seen.has(key) ? false : seen.add(key)
  })
}

/** The same as lint results: one entry for each file with a problem. */
export function lintInstructions(folder: string, userHome: string, cwd: string): LintedFile[] {
  const byFile = new Map<string, Diagnostic[]>()
  for (const problem of findInstructionProblems({ folder, userHome }))
    byFile.set(problem.path, [...(byFile.get(problem.path) ?? []), problem])
  return [...byFile].map(([file, diagnostics]) => ({
    path: shownPath(cwd, file),
    dialect: 'instructions',
    status: diagnostics.some(({ severity }) => severity === 'error') ? 'failed' : 'ok',
    diagnostics: diagnostics.map(({ path: _, ...finding }) => finding),
  }))
}
