import { closeSync, type Dirent, openSync, readdirSync, readSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { isInside, repositoryOf } from '@cadre/disk'
import { settingsNamespace } from '../settings/find-configuration.ts'
import { classifyPath, findAgentFolder, type PathMeaning } from './classify-path.ts'
import { looksLikeAgent, looksLikeChatLog, looksLikeTemplate } from './looks-like-agent.ts'
import { createPlugins } from './plugins.ts'

export interface FilesToLint {
  /** Absolute and sorted. */
  readonly files: readonly string[]
  /** Links that point outside the folder: listed, never read. */
  readonly outside: readonly string[]
  readonly endless: boolean
}

const maxDepth = 40
const maxEntries = 500_000
/** A longer header has its keys within this part. */
const headBytes = 8 * 1_024
const settingsBytes = 1_000_000

/**
 * Folders without a leading dot are always searched, and these too. In other hidden folders, only subfolders that could
 * contain agents.
 */
const hosts = /^\.(?:github|claude|opencode|copilot)$/i
const agentFolderNames = /^(?:agents?|chatmodes|templates|opencode)$/i
const skippedFolders = /^(?:node_modules|\.git|\.hg|\.svn|__pycache__)$/i

/**
 * Finds every agent file below a folder: files that some program loads, and files named like an agent. In a folder of
 * agents, every Markdown file counts. Links are followed only within the repository, and each file is listed once per agent
 * folder.
 */
export function findLintFiles(folder: string): FilesToLint {
  const top = realpathSync(folder)
  const repository = repositoryOf(top)
  const base = baseOf(repository ?? path.dirname(top))
  const search: Search = {
    top,
    base,
    within: repository ?? top,
    isCollection: isCollection(path.relative(base, top)),
    pluginOf: createPlugins(),
    files: new Map(),
    outside: [],
    seen: new Set(),
    left: maxEntries,
  }
  walk(top, search, 0)
  // As named, possibly through a link.
  const named = (at: string) => path.join(folder, path.relative(top, at))
  return {
    files: [...search.files.values()].sort(order).map(named),
    outside: search.outside.sort(order).map(named),
    endless: search.left < 0,
  }
}

/** Finds files directly in a folder that have the header of an agent: a named file may refer to them. */
export function findLikelyAgentFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.md$/i.test(entry.name))
    .map((entry) => path.join(folder, entry.name))
    .filter((file) => looksLikeAgent(headOf(file, headBytes)))
    .sort(order)
}

/** A repository of agents may be cloned into an agent folder such as `~/.claude/agents`: then the name of that folder counts. */
function baseOf(repository: string): string {
  return findAgentFolder(`${repository.split(path.sep).join('/')}/`) === ''
    ? repository
    : path.parse(repository).root
}

/** True if the named folder is a folder of agents. */
function isCollection(fromBase: string): boolean {
  return fromBase.split(path.sep).some((name) => /^(?:sub)?agents?$/i.test(name))
}

interface Search {
  readonly top: string
  /** The base for judging paths: the repository, or the parent of the given folder. */
  readonly base: string
  /** The folder that links must not lead outside of. */
  readonly within: string
  readonly isCollection: boolean
  readonly pluginOf: (file: string) => string | undefined
  /** Keyed by real path and agent folder. */
  readonly files: Map<string, string>
  readonly outside: string[]
  readonly seen: Set<string>
  left: number
}

function walk(folder: string, search: Search, depth: number): void {
  let real: string
  let entries: Dirent[]
  try {
    real = realpathSync(folder)
    entries = readdirSync(folder, { withFileTypes: true })
  } catch {
    return
  }
  // A folder that is linked from an agent folder counts as one, even if it was already searched elsewhere.
  const key = keyOf(real, folder, search)
  if (search.seen.has(key) || depth > maxDepth) return
  search.seen.add(key)
  // A named folder is always searched.
  const parent = depth === 0 ? '' : path.basename(folder)
  for (const entry of entries.sort((a, b) => order(a.name, b.name))) {
    if (search.left-- <= 0) return
    const at = path.join(folder, entry.name)
    if (entry.isDirectory()) {
      if (shouldWalk(entry.name, parent)) walk(at, search, depth + 1)
    } else if (entry.isSymbolicLink()) followLink(at, search, depth)
    else if (entry.isFile()) considerFile(at, at, search)
  }
}

function followLink(at: string, search: Search, depth: number): void {
  const name = path.basename(at)
  let real: string
  let isFolder: boolean
  try {
    real = realpathSync(at)
    const stats = statSync(real)
    if (!stats.isDirectory() && !stats.isFile()) return
    isFolder = stats.isDirectory()
  } catch {
    return
  }
  if (isInside(search.within, real)) {
    if (!isFolder) considerFile(at, real, search)
    else if (shouldWalk(name, path.basename(path.dirname(at)))) walk(at, search, depth + 1)
  } else if (!isFolder && meaningOf(at, search) === 'agent') search.outside.push(at)
}

/** Limits the search in hidden folders: they are large, and mostly not hand-written. */
function shouldWalk(name: string, parent: string): boolean {
  if (skippedFolders.test(name)) return false
  if (/^\.claude$/i.test(parent)) return !/^(?:worktrees|projects|todos|shell-snapshots)$/i.test(name)
  if (/^\.vscode$/i.test(parent)) return false
  if (parent.startsWith('.') && !hosts.test(parent)) return agentFolderNames.test(name)
  return true
}

function considerFile(at: string, real: string, search: Search): void {
  const key = keyOf(real, path.dirname(at), search)
  // The file itself takes precedence over a link to it.
  if (search.files.has(key) && at !== real) return
  const meaning = meaningOf(at, search)
  if (meaning === 'other') return
  if (meaning === 'agent') {
    const isLog =
      /\/agents\/[^/]+\.agent\.md$/i.test(fromBase(at, search)) && looksLikeChatLog(headOf(real, headBytes))
    if (!isLog) search.files.set(key, at)
    return
  }
  const head = headOf(real, meaning === 'settings' ? settingsBytes : headBytes)
  if (isAgent[meaning](head)) search.files.set(key, at)
}

function meaningOf(at: string, search: Search): PathMeaning {
  return classifyPath(fromBase(at, search), () => search.isCollection || search.pluginOf(at) !== undefined)
}

function keyOf(real: string, folder: string, search: Search): string {
  return `${findAgentFolder(`${fromBase(folder, search)}/`)}\n${real}`
}

const isAgent = {
  perhaps: looksLikeAgent,
  template: looksLikeTemplate,
  settings: (head: string) => head.includes(settingsNamespace),
} as const

function fromBase(at: string, { base }: Search): string {
  return `/${path.relative(base, at).split(path.sep).join('/')}`
}

function headOf(file: string, max: number): string {
  try {
    const handle = openSync(file, 'r')
    try {
      const buffer = Buffer.alloc(max)
      return buffer.toString('utf8', 0, readSync(handle, buffer, 0, max, 0))
    } finally {
      closeSync(handle)
    }
  } catch {
    return ''
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
