/**
 * Owns the list of files that the input line suggests. Git lists them, without ignored files; without git, a bounded walk
 * does.
 *
 * 1. Nothing waits for it: until the first list is complete, there are no suggestions.
 * 2. It is created on first use, and again when it is needed and older than a few seconds.
 * 3. One list is created at a time, and none is longer than `maxFiles`.
 */
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { tryGit } from '@cadre/disk'
import { cleanLine } from '../../output/clean-text.ts'

export interface FileIndex {
  /**
   * Returns files and folders that match the typed text, best first: entries of the same folder that start with it, then
   * names that start with it, then paths that contain it. Folders end with a slash.
   */
  like(typed: string, max: number): readonly string[]
}

const maxFiles = 50_000
/** Without git, ignored files cannot be recognised, and a walk is slower. */
const maxWalked = 5_000
const freshMs = 5_000

export function createFileIndex(workspace: string, onChange: () => void): FileIndex {
  let entries: readonly string[] = []
  let listedAt = Number.NEGATIVE_INFINITY
  let isListing = false

  function refresh(): void {
    if (isListing || performance.now() - listedAt < freshMs) return
    isListing = true
    void listFiles(workspace)
      .catch(() => [])
      .then((files) => {
        entries = withFolders(files)
        listedAt = performance.now()
        isListing = false
        onChange()
      })
  }

  return {
    like(typed, max) {
      refresh()
      return bestMatches(entries, typed, max)
    },
  }
}

async function listFiles(workspace: string): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.']
  const listed = await tryGit(args, { cwd: workspace, max: 16_000_000, timeoutMs: 10_000 }).catch(
    () => undefined,
  )
  const files = listed?.code === 0 ? listed.stdout.split('\0') : await walk(workspace)
  return files.filter((file) => file !== '' && cleanLine(file) === file).slice(0, maxFiles)
}

/** Breadth first, so that near files are included even if the walk is cut. */
async function walk(workspace: string): Promise<readonly string[]> {
  const files: string[] = []
  const folders = ['']
  let seen = 0
  for (const folder of folders) {
    const found = await readdir(path.join(workspace, folder), { withFileTypes: true }).catch(() => [])
    for (const entry of found.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      seen += 1
      if (seen > maxWalked) return files
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      if (entry.isDirectory()) folders.push(`${folder}${entry.name}/`)
      else if (entry.isFile()) files.push(`${folder}${entry.name}`)
    }
  }
  return files
}

function withFolders(files: readonly string[]): readonly string[] {
  const all = new Set<string>()
  for (const file of files) {
    for (let at = file.lastIndexOf('/'); at > 0; at = file.lastIndexOf('/', at - 1)) {
      const folder = file.slice(0, at + 1)
      if (all.has(folder)) break
      all.add(folder)
    }
    all.add(file)
  }
  return [...all].sort()
}

/** One pass, with little work for entries that do not match. */
export function bestMatches(entries: readonly string[], typed: string, max: number): string[] {
  const wanted = typed.toLowerCase()
  const showsHidden = wanted.includes('.')
  const here: string[] = []
  const named: string[] = []
  const others: string[] = []
  for (const entry of entries) {
    const file = entry.toLowerCase()
    if (!file.includes(wanted) || (!showsHidden && /(?:^|\/)\./.test(file))) continue
    const list = isPrefixMatch(file, wanted) ? here : isNameMatch(file, wanted) ? named : others
    if (list.length < max) list.push(entry)
    if (here.length === max) break
  }
  // Every path contains the empty text, so only entries of the current folder are suggested before a name is typed.
  const isOpen = wanted === '' || wanted.endsWith('/')
  return (isOpen ? here : [...here, ...named, ...others]).slice(0, max)
}

/** True if it starts with the typed text, and is not deeper. */
function isPrefixMatch(file: string, wanted: string): boolean {
  if (!file.startsWith(wanted) || file === wanted) return false
  const slash = file.indexOf('/', wanted.length)
  return slash < 0 || slash === file.length - 1
}

/** True if its own name starts with the typed text. */
function isNameMatch(file: string, wanted: string): boolean {
  return file.startsWith(wanted, file.lastIndexOf('/', file.length - 2) + 1)
}
