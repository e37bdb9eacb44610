import { createHash, type Hash } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@cadre/core'
import { isInside, type Repository, repositoryAt, tryGit } from '@cadre/disk'

/** The files of a home that an enclosing repository tracks: a clone or a pull brings them. */
export type TrackedFiles =
  | { readonly kind: 'none' }
  /** Relative to the home; one digest for the names and what is in them now. */
  | { readonly kind: 'some'; readonly files: readonly string[]; readonly sha256: string }
  /** Nobody can tell, and why. */
  | { readonly kind: 'unknown'; readonly reason: string }

const mostFiles = 20_000
const mostBytes = 256 * 1_024 * 1_024

/**
 * Asks every repository around a home which of the home's files it tracks. A repository inside the home is not asked, so it
 * hides nothing; of a submodule there, every file counts. Nothing in the repositories is run.
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

/** Every repository whose work tree this folder is in, the nearest first. */
export function repositoriesAbove(folder: string): Repository[] {
  const found: Repository[] = []
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    const repository = repositoryAt(at)
    if (repository !== undefined) found.push(repository)
    if (path.dirname(at) === at) return found
  }
}

/** Where a home lies: for a link both the place of the link and what it leads to. */
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
  // Where names that differ in case alone are one file, git may know the home under another spelling.
  const wanted = foldsCase ? [] : ['--', within]
  const { code, stdout, stderr } = await tryGit(['ls-files', '-z', ...wanted], {
    cwd: top,
    // Nothing of it is run, so it does not matter whose it is.
    settings: ['safe.directory=*'],
    timeoutMs: 20_000,
  })
  if (code !== 0) {
    // What git does not take for a repository brings nothing.
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
  for (const [name, file] of files) take(file, name, walk)
  return walk.digest.digest('hex')
}

/** Links count with what they lead to, folders (of submodules) with everything in them. */
function take(file: string, name: string, walk: Walk): void {
  if (++walk.files > mostFiles)
    throw new Error(`the project tracks more than ${mostFiles} files of this home`)
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
      if (entry !== '.git') take(path.join(file, entry), `${name}/${entry}`, walk)
  } else if (stats.isFile()) {
    walk.bytes += stats.size
    if (walk.bytes > mostBytes) throw new Error('the project tracks too much of this home to compare it')
    walk.digest.update(createHash('sha256').update(readFileSync(file)).digest())
  } else {
    walk.digest.update('special')
  }
}
