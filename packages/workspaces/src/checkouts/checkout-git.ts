/**
 * The git repositories of a checkout: Cadre's own one (`gitDir`), and the one of the agents in the checkout. Cadre's commands use its own
 * repository, never the settings or the index in the checkout, which agents can change.
 */
import { existsSync, lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type GitRequest, git } from '@cadre/disk'
import { formatOf } from './format-of.ts'

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

  /** Git in Cadre's own repository, without the files. */
  bare(signal?: AbortSignal): GitRequest {
    const { gitDir } = this
    const own = this.own()
    const read = own === undefined ? [] : [path.join(own, 'objects')]
    return { cwd: gitDir, gitDir, objects: { write: path.join(gitDir, 'objects'), read }, signal }
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
