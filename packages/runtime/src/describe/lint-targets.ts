import { type LintOptions, type LintResult, lintFiles, lintFolder, summaryOf } from '@cadre/agents'
import type { Home } from '@cadre/home'
import type { Environment } from '../environment.ts'
import { projectOf, userPaths } from '../user-paths.ts'
import { lintInstructions } from './lint-instructions.ts'
import { lintKnowledge } from './lint-knowledge.ts'

/** Folders and files to check, as absolute paths. */
export interface LintTargets {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

/** Checks agent files, and the instructions, skills, prompt files and permissions of folders. */
export async function lintTargets(
  { folders, files: named }: LintTargets,
  options: LintOptions & { readonly cwd: string },
  userHome: string,
): Promise<LintResult> {
  const results: LintResult[] = []
  for (const folder of folders) results.push(await lintFolder(folder, options))
  if (named.length > 0) results.push(await lintFiles(named, options))
  // A file that is named twice counts once.
  const each = new Map(results.flatMap((result) => result.files).map((file) => [file.path, file]))
  const others = folders.flatMap((folder) => lintInstructions(folder, userHome, options.cwd))
  const files = [...each.values(), ...others]
  return { files, summary: summaryOf(files), endless: results.flatMap(({ endless }) => endless) }
}

/** Checks the project of the current folder, as `cadre lint` does without arguments. */
export async function lintProject(
  io: Environment,
  home: Home,
  tell: (message: string) => void,
): Promise<LintResult> {
  const knowledge = await lintKnowledge(io, home, tell)
  const targets = { folders: [projectOf(io.cwd)], files: [] }
  return lintTargets(targets, { cwd: io.cwd, knowledge }, userPaths(io.env).home)
}
