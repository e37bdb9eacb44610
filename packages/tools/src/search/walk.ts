import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { glob, type Matcher } from '@cadre/disk'
import { withPinnedFolder } from './with-pinned-folder.ts'

type Ignores = (path: string, isFolder: boolean) => boolean

/**
 * Yields files below a folder, sorted, as paths relative to `root` with `/`. Skips git-ignored files and `.git`. Links are
 * not followed: they could lead outside the workspace or in cycles.
 */
export async function* walkFolder(root: string, below: string, signal: AbortSignal): AsyncGenerator<string> {
  let ignores: Ignores = () => false
  let folder = ''
  ignores = await withRulesOf(root, folder, ignores)
  for (const name of below.split('/').filter((part) => part !== '' && part !== '.')) {
    folder = folder === '' ? name : `${folder}/${name}`
    ignores = await withRulesOf(root, folder, ignores)
  }
  yield* files(root, folder, ignores, signal)
}

async function* files(
  root: string,
  folder: string,
  ignores: Ignores,
  signal: AbortSignal,
): AsyncGenerator<string> {
  signal.throwIfAborted()
  // A folder that is unreadable or deleted is treated as empty.
  const entries = await withPinnedFolder(path.join(root, folder), (base) =>
    readdir(base, { withFileTypes: true }),
  ).catch(() => [])
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const at = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.name === '.git' || ignores(at, entry.isDirectory())) continue
    if (entry.isFile()) yield at
    else if (entry.isDirectory()) yield* files(root, at, await withRulesOf(root, at, ignores), signal)
  }
}

async function withRulesOf(root: string, folder: string, outer: Ignores): Promise<Ignores> {
  const text = await readFile(path.join(root, folder, '.gitignore'), 'utf8').catch(() => undefined)
  if (text === undefined) return outer
  const rules = ignoreRules(text)
  const prefix = folder === '' ? 0 : folder.length + 1
  return (at, isFolder) => rules(at.slice(prefix), isFolder) ?? outer(at, isFolder)
}

interface IgnoreRule {
  readonly matches: Matcher
  readonly negated: boolean
  readonly onlyFolders: boolean
}

/** Parses one `.gitignore`; paths are relative to its folder. `undefined`: no rule matches this path. */
function ignoreRules(text: string): (path: string, isFolder: boolean) => boolean | undefined {
  const rules = text.split(/\r?\n/).flatMap(ruleOf)
  return (path, isFolder) => {
    const rule = rules.findLast((rule) => (isFolder || !rule.onlyFolders) && rule.matches(path))
    return rule === undefined ? undefined : !rule.negated
  }
}

function ruleOf(line: string): IgnoreRule[] {
  const trimmed = line.replace(/(?<!\\)[ \t]+$/, '')
  if (trimmed === '' || trimmed.startsWith('#')) return []
  const negated = trimmed.startsWith('!')
  const onlyFolders = trimmed.endsWith('/')
  const pattern = trimmed.slice(negated ? 1 : 0, onlyFolders ? -1 : undefined)
  // A slash at the start or in the middle anchors a rule to its folder. Braces are literal.
  const body = pattern.replace(/[{}]/g, '?')
  const matches = glob(body)
  return matches === undefined ? [] : [{ matches, negated, onlyFolders }]
}
