import { type GitRequest, git, tryGit } from './git.ts'

export interface CommitRequest extends GitRequest {
  readonly message: string
  /** What it is put on top of; nothing for a first one. */
  readonly parent: string | undefined
  /** Also when it is the same as what is below it. */
  readonly evenIfSame?: boolean
}

/** A commit of what is in the index, on top of `parent`; no branch is moved. Nothing when it holds nothing new. */
export async function commitIndex(request: CommitRequest): Promise<string | undefined> {
  const tree = (await git(['write-tree'], request)).trim()
  return commitTree({ ...request, tree })
}

/** The same of a tree. */
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

/** What a name leads to, or nothing. */
export async function commitOf(name: string, request: GitRequest): Promise<string | undefined> {
  const { code, stdout } = await tryGit(
    ['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`],
    request,
  )
  return code === 0 ? stdout.trim() : undefined
}
