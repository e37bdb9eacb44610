import { createHash, type Hash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@cadre/core'
import { isInside, type Repository, repositoryAt, tryGit } from '@cadre/disk'

/** The files in a home that an enclosing repository tracks, so that a clone or pull can add them. */
export type TrackedFiles =
  | { readonly kind: 'none' }
  /** Paths relative to the home, and one digest of their names and content. */
  | { readonly kind: 'some'; readonly files: readonly string[]; readonly sha256: string }
  /** The files cannot be determined, for this reason. */
  | { readonly kind: 'unknown'; readonly reason: string }

const maxFiles = 20_000
const maxBytes = 256 * 1_024 * 1_024

/**
 * Asks every enclosing repository which files in the home it tracks. Does not ask repositories inside the home, so they cannot hide files;
 * every file of a submodule counts as tracked. Runs no code from the repositories.
 */
export async function trackedFiles(home: string): Promise<TrackedFiles> {
  const found = new Map<string, string>()
  try {
    const places = placesOf(home)
    await Promise.all(
      places.flatMap((place) =>
        repositoriesAbove(place).map(async (repository) => {
          for (const file of await filesIn(repository, place)) found.set(path.relative(place, file), file)
        }),
      ),
    )
    if (found.size === 0) return { kind: 'none' }
    const files = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
    return { kind: 'some', files: files.map(([name]) => name), sha256: digestOf(files) }
  } catch (error) {
    return { kind: 'unknown', reason: messageOf(error) }
  }
}

/** All repositories that contain this folder, the nearest first. */
export function repositoriesAbove(folder: string): Repository[] {
  const found: Repository[] = []
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    const repository = repositoryAt(at)
    if (repository !== undefined) found.push(repository)
    if (path.dirname(at) === at) return found
  }
}

/** The locations of a home. For a link: its own location and its target. */
export function placesOf(home: string): string[] {
  try {
    const named = path.join(realpathSync(path.dirname(path.resolve(home))), path.basename(home))
    return [...new Set([named, realpathSync(home)])]
  } catch {
    return []
  }
}

const foldsCase = process.platform === 'darwin' || process.platform === 'win32'

async function filesIn({ top }: Repository, place: string): Promise<string[]> {
  const within = path.relative(top, place)
  // On a case-insensitive file system, git may know the home under another spelling.
  const wanted = foldsCase ? [] : ['--', within]
  const { code, stdout, stderr } = await tryGit(['ls-files', '-z', ...wanted], {
    cwd: top,
    // No code of the repository runs, so its owner does not matter.
    settings: ['safe.directory=*'],
    timeoutMs: 20_000,
  })
  if (code !== 0) {
    // A folder that git does not recognise as a repository tracks nothing.
    if (/not a git repository/i.test(stderr)) return []
    throw new Error(`git ls-files failed in ${top}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  }
  const names = stdout.split('\0').filter((name) => name !== '')
  const folded = (name: string) => name.normalize('NFC').toLowerCase()
  const inHome = foldsCase ? names.filter((name) => isInside(folded(within), folded(name))) : names
  return [...new Set(inHome)].map((name) => path.join(top, name))
}

interface Walk {
  readonly digest: Hash
  readonly seen: Set<string>
  files: number
  bytes: number
}

function digestOf(files: readonly (readonly [string, string])[]): string {
  const walk: Walk = { digest: createHash('sha256'), seen: new Set(), files: 0, bytes: 0 }
  for (const [name, file] of files) addFile(file, name, walk)
  return walk.digest.digest('hex')
}

/** Adds a file, the target of a link, or everything in the folder of a submodule. */
function addFile(file: string, name: string, walk: Walk): void {
  if (++walk.files > maxFiles)
    throw new Error(`the project tracks more than ${maxFiles} files in this home directory`)
  walk.digest.update(`\0${name}\0`)
  const link = lstatSync(file, { throwIfNoEntry: false })
  if (link?.isSymbolicLink()) walk.digest.update(`link ${readlinkSync(file)}\0`)
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) {
    walk.digest.update('missing')
  } else if (stats.isDirectory()) {
    const real = realpathSync(file)
    if (walk.seen.has(real)) return
    walk.seen.add(real)
    for (const entry of readdirSync(file).sort())
      if (entry !== '.git') addFile(path.join(file, entry), `${name}/${entry}`, walk)
  } else if (stats.isFile()) {
    walk.bytes += stats.size
    if (walk.bytes > maxBytes)
      throw new Error('the project tracks too much of this home directory to compare it')
    walk.digest.update(createHash('sha256').update(readFileSync(file)).digest())
  } else {
    walk.digest.update('special')
  }
}
