import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { fingerprintModule } from '@cadre/home'
import type { Hook } from './hook.ts'
import { type HookScript, scriptsOf, wordsOf } from './scripts-of.ts'

const packageManager = /^(?:npm|npx|pnpm|pnpx|yarn|bun|bunx|corepack)$/
const makes = /^g?make$/
const interpreter =
  /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|lua|awk|pwsh|powershell|[bdkz]?a?sh|source|\.)$/

/**
 * Returns the project files that a hook from elsewhere would run: scripts it names, programs, arguments of interpreters,
 * and targets of package managers or make. Includes only existing files, and none below `except`.
 */
export function projectFilesOf(
  hook: Pick<Hook, 'action' | 'cwd'>,
  project: string,
  except?: string | undefined,
): readonly HookScript[] {
  if (hook.action.kind !== 'command') return []
  const words = wordsOf(hook.action, project)
  const programs = words.map((word) => path.basename(word))
  const implied = [
    ...(programs.some((name) => packageManager.test(name)) ? ['package.json'] : []),
    ...(programs.some((name) => makes.test(name)) ? ['Makefile', 'makefile', 'GNUmakefile'] : []),
  ]
  const isInterpreted = programs.some((name) => interpreter.test(name))
  const named = [
    ...words.filter((word) => isInterpreted || isProgram(path.resolve(project, word))),
    ...implied,
  ].map((word) => path.resolve(project, word))
  const found = new Map(scriptsOf(hook, project).map((script) => [script.path, script.sha256]))
  for (const file of named)
    if (!found.has(file) && isFileOf(project, file)) found.set(file, fingerprintModule(file) ?? 'unreadable')
  return [...found]
    .flatMap(([file, sha256]) => (sha256 === undefined ? [] : [{ path: file, sha256 }]))
    .filter(({ path: file }) => except === undefined || !isInside(except, file))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

function isFileOf(project: string, file: string): boolean {
  try {
    return isInside(project, file) && statSync(realpathSync(file)).isFile()
  } catch {
    return false
  }
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
