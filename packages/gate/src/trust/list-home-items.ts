import { createHash } from 'node:crypto'
import path from 'node:path'
import { entriesIn, linkTarget, readInsideFolder, readYaml } from '@cadre/disk'
import { isEmptyHome, type TrackedFiles, trackedFiles, type UserHomes } from '@cadre/home'
import type { FolderItem } from './folder-item.ts'

/** The state of a home, before anything in it is used. */
export interface HomeState {
  /** `foreign`: it is not empty, and this user did not create it on this machine. */
  readonly kind: 'absent' | 'own' | 'foreign'
  readonly tracked: TrackedFiles
}

export async function inspectHome(home: string, homes: Pick<UserHomes, 'owns'>): Promise<HomeState> {
  if (isEmptyHome(home)) return { kind: 'absent', tracked: { kind: 'none' } }
  return { kind: homes.owns(home) ? 'own' : 'foreign', tracked: await trackedFiles(home) }
}

/** Returns what a person has to trust before anything in a home is used; empty for the user's own home. */
export function listHomeItems(home: string, { kind, tracked }: HomeState): FolderItem[] {
  const items: FolderItem[] = []
  if (kind === 'foreign') {
    const what = `contains ${summaryOf(home, namesBelow(home))}, not created by you on this machine`
    items.push({ path: home, sha256: 'foreign', file: home, what })
  }
  if (tracked.kind === 'some') {
    const what = `contains files that the project's git tracks: ${summaryOf(home, tracked.files)}`
    items.push({ path: `${home}#tracked`, sha256: tracked.sha256, file: home, what })
  }
  if (tracked.kind === 'unknown') {
    const what = `may contain files that the project's git tracks. Cadre cannot tell: ${tracked.reason}`
    items.push({ path: `${home}#tracked`, sha256: unknown(tracked.reason), file: home, what })
  }
  return items
}

/** A new value each time, so that unknown content can never be trusted. */
function unknown(reason: string): string {
  return createHash('sha256').update(`${reason} ${performance.now()}`).digest('hex')
}

const kinds: readonly (readonly [RegExp, string, string])[] = [
  [/^sessions\/[^/]+\.session\.yaml$/, 'session', 'sessions'],
  [/^tasks\/[^/]+\.task\.md$/, 'task file', 'task files'],
  [/^approvals\//, 'approval form', 'approval forms'],
  [/^templates\//, 'agent template', 'agent templates'],
  [/^memory\//, 'memory file', 'memory files'],
  [/^inbox\/[^/]+\.jsonl$/, 'inbox file', 'inbox files'],
  [/^teams\//, 'team file', 'team files'],
]

/** For people: `3 sessions, 2 task files, config.yaml (model, aliases)`. */
function summaryOf(home: string, names: readonly string[]): string {
  const counts = kinds.flatMap(([pattern, one, many]) => {
    const count = names.filter((name) => pattern.test(name.split(path.sep).join('/'))).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  const named = [
    'config.yaml',
    'inbox/routes.yaml',
    'storage/policy.yaml',
    'storage/people.yaml',
    'storage/terminal-cmd-allowlist.yaml',
  ]
    .filter((name) => names.includes(name.split('/').join(path.sep)))
    .map((name) => `${path.basename(name)}${name === 'config.yaml' ? keysOf(home) : ''}`)
  const all = [...counts, ...named, ...linksIn(home, names)]
  if (all.length > 0) return all.join(', ')
  return names.length === 1 ? '1 file' : `${names.length} files`
}

const maxLinks = 5

/** A link makes files outside the home part of it, so the summary shows its target. */
function linksIn(home: string, names: readonly string[]): string[] {
  const links = names.flatMap((name) => {
    const target = linkTarget(path.join(home, name))
    return target === undefined ? [] : [`a link from ${JSON.stringify(name)} to ${JSON.stringify(target)}`]
  })
  const more = links.length - maxLinks
  const rest = more > 0 ? [`${more} more ${more === 1 ? 'link' : 'links'}`] : []
  return [...links.sort().slice(0, maxLinks), ...rest]
}

function keysOf(home: string): string {
  const content = readInsideFolder(home, path.join(home, 'config.yaml'))
  if (content.kind !== 'read') return ''
  const read = readYaml({ text: content.text, path: 'config.yaml' })
  const keys = read.kind === 'read' ? [...(read.root.fields?.keys() ?? [])] : []
  return keys.length === 0 ? '' : ` (${keys.slice(0, 10).join(', ')})`
}

const maxEntries = 5_000

function namesBelow(home: string): string[] {
  const names: string[] = []
  const waiting = ['']
  let folders = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    // A summary needs no complete list, so large folders are cut.
    if (names.length >= maxEntries || ++folders > maxEntries) break
    for (const entry of entriesIn(path.join(home, folder))) {
      const name = path.join(folder, entry.name)
      if (entry.isDirectory() && entry.name !== '.git') waiting.push(name)
      else if (entry.name !== '.git') names.push(name)
    }
  }
  return names
}
