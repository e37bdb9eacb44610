import { type GitRequest, git, tryGit } from './git.ts'

export interface CommitRequest extends GitRequest {
  readonly message: string
  /** The parent commit, or `undefined` for a first commit. */
  readonly parent: string | undefined
  /** Commit even if nothing differs from the parent. */
  readonly evenIfSame?: boolean
}

/** Commits the index on top of `parent`, without moving a branch. Returns `undefined` if nothing has changed. */
export async function commitIndex(request: CommitRequest): Promise<string | undefined> {
  const tree = (await git(['write-tree'], request)).trim()
  return commitTree({ ...request, tree })
}

/** Like `commitIndex`, for a tree. */
export async function commitTree(
  request: CommitRequest & { readonly tree: string },
): Promise<string | undefined> {
  const { message, parent, tree, evenIfSame = false, ...rest } = request
  if (parent !== undefined && !evenIfSame && (await treeOf(parent, rest)) === tree) return undefined
  const above = parent === undefined ? [] : ['-p', parent]
  return (await git(['commit-tree', tree, ...above, '-F', '-'], { ...rest, input: message })).trim()
}

export async function treeOf(commit: string, request: GitRequest): Promise<string> {
  return (await git(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], request)).trim()
}

/** Resolves a name to a commit, or returns `undefined`. */
export async function commitOf(name: string, request: GitRequest): Promise<string | undefined> {
  const { code, stdout } = await tryGit(
    ['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`],
    request,
  )
  return code === 0 ? stdout.trim() : undefined
}
