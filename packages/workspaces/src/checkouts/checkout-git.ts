/**
 * The git repositories of a checkout: Cadre's own one (`gitDir`), and the one of the agents in the checkout.
 *
 * 1. Cadre's commands use its own repository, never the settings or the index in the checkout, which agents can change.
 * 2. Every commit in Cadre's own repository is complete. Commits of agents are copied there first (`adopt`), all that they need or nothing.
 * 3. No file in the checkout can enable conversions, so the files of a snapshot are stored and come back byte for byte.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { commitOf, type GitRequest, git, tryGit } from '@cadre/disk'
import { formatOf } from './format-of.ts'

/** At the highest precedence, so files are stored and come back byte for byte. */
const asBytes = '* -text -eol -crlf -filter -ident -working-tree-encoding\n'
/** Only line ends: files of agents are not always in the encoding that `.gitattributes` demands. */
const asText = '* -filter -ident -working-tree-encoding\n'

const adoptTimeoutMs = 30 * 60_000

export interface CheckoutGitOptions {
  /** The folder of the checkout. */
  readonly folder: string
  /** Cadre's own repository for this checkout. */
  readonly gitDir: string
  /** A repository with objects that all checkouts share. */
  readonly cacheDir: string
}

export class CheckoutGit {
  readonly folder: string
  readonly gitDir: string
  readonly #cacheDir: string

  constructor({ folder, gitDir, cacheDir }: CheckoutGitOptions) {
    this.folder = folder
    this.gitDir = gitDir
    this.#cacheDir = cacheDir
  }

  /** The index of Cadre's own repository. */
  get index(): string {
    return path.join(this.gitDir, 'index')
  }

  /** Lets the repository in the checkout read the objects of the other two. */
  get alternates(): string {
    return alternatesOf([this.gitDir, this.#cacheDir])
  }

  /** Git in Cadre's own repository, without the files. It does not read the objects in the checkout, which agents can remove. */
  bare(signal?: AbortSignal): GitRequest {
    const { gitDir } = this
    return { cwd: gitDir, gitDir, signal }
  }

  /** Like `bare`, but files are converted as `.gitattributes` demands, for example line ends. */
  converting(signal?: AbortSignal): GitRequest {
    const objects = { write: path.join(this.gitDir, 'objects'), read: [] }
    return { ...this.bare(signal), gitDir: this.#converting, objects }
  }

  get #converting(): string {
    return path.join(this.gitDir, 'converting.git')
  }

  /**
   * Copies a commit of the repository in the checkout, with all that it needs. `known`: complete commits of Cadre's own repository.
   * Returns false if that is impossible: agents can remove or damage objects, and fetch a history that is not complete.
   */
  async adopt(commit: string, known: readonly string[], signal?: AbortSignal): Promise<boolean> {
    const at = { ...this.bare(signal), timeoutMs: adoptTimeoutMs }
    if (known.includes(commit) || (await commitOf(commit, at)) !== undefined) return true
    const own = this.own()
    if (own === undefined) return false
    const draft = path.join(this.gitDir, 'adopted')
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft)
    try {
      const objects = { write: path.join(this.gitDir, 'objects'), read: [path.join(own, 'objects')] }
      const input = [commit, ...known.map((one) => `^${one}`), ''].join('\n')
      const packed = await tryGit(['pack-objects', '-q', '--revs', path.join(draft, 'pack')], {
        ...{ ...at, objects, input },
      })
      if (packed.code !== 0) return false
      const name = `pack-${packed.stdout.trim()}`
      const place = (ending: string) => path.join(draft, `${name}.${ending}`)
      // Compares contents with ids, and fails if anything is missing.
      if ((await tryGit(['index-pack', '--strict', place('pack')], at)).code !== 0) return false
      for (const ending of ['pack', 'idx'])
        renameSync(place(ending), path.join(this.gitDir, 'objects', 'pack', `${name}.${ending}`))
      return true
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }

  /** The repository in the checkout, unless an agent has changed it so that it reads another one. */
  own(): string | undefined {
    const own = path.join(this.folder, '.git')
    try {
      const isPlain = lstatSync(own).isDirectory() && lstatSync(path.join(own, 'objects')).isDirectory()
      const isShared = existsSync(path.join(own, 'commondir'))
      const alternates = readFileSync(path.join(own, 'objects', 'info', 'alternates'), 'utf8')
      return isPlain && !isShared && alternates === this.alternates ? own : undefined
    } catch {
      return undefined
    }
  }

  /** Creates Cadre's own repository. `start`: a commit of the shared repository. */
  async initialise(start: string): Promise<void> {
    const { gitDir } = this
    mkdirSync(path.dirname(gitDir), { recursive: true })
    await git(['init', '-q', '--bare', ...formatOf(start), '--', gitDir], { cwd: path.dirname(gitDir) })
    writeFileSync(path.join(gitDir, 'objects', 'info', 'alternates'), alternatesOf([this.#cacheDir]))
    const settings = [
      [gitDir, asBytes],
      [this.#converting, asText],
    ] as const
    await git(['init', '-q', '--bare', ...formatOf(start), '--', this.#converting], { cwd: gitDir })
    for (const [place, attributes] of settings) {
      mkdirSync(path.join(place, 'info'), { recursive: true })
      writeFileSync(path.join(place, 'info', 'attributes'), attributes)
    }
  }

  async commit(
    tree: string,
    parents: readonly string[],
    message: string,
    signal?: AbortSignal,
  ): Promise<string> {
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
    return (await git(args, { ...this.bare(signal), input: message })).trim()
  }
}

/** Lets a repository read the objects of others. */
function alternatesOf(repositories: readonly string[]): string {
  return repositories.map((gitDir) => `${path.join(gitDir, 'objects')}\n`).join('')
}
