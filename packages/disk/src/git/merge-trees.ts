import { CadreError } from '@cadre/core'
import { commitTree } from './commit-index.ts'
import { type GitRequest, tryGit } from './git.ts'

export type Merged =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflicts'; readonly files: readonly string[] }

/** Three commits or trees: the common base, and the two sides. */
export interface MergeSides {
  readonly base: string
  readonly ours: string
  readonly theirs: string
}

/** Merges both sides. Writes only objects: no files, no index, no branch. */
export async function mergeTrees({ base, ours, theirs }: MergeSides, request: GitRequest): Promise<Merged> {
  // Commits both on top of the base, whatever their real parents are, so that git merges against this base.
  const parent = await commitSide(base, undefined, request)
  const sides = [await commitSide(ours, parent, request), await commitSide(theirs, parent, request)]
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ...sides]
  const { code, stdout, stderr } = await tryGit(args, request)
  const [tree = '', ...files] = stdout.split('\0').filter((part) => part !== '')
  if (code === 0) return { kind: 'clean', tree }
  if (code === 1) return { kind: 'conflicts', files: [...new Set(files)] }
  if (/usage:|unknown option|merge-tree/.test(stderr) && code === 129)
    throw new CadreError(
      'configuration',
      'cannot merge, because git is older than 2.38. Install a newer version of git.',
    )
  throw new CadreError('agent_execution', `git could not merge: ${stderr.trim()}`)
}

async function commitSide(side: string, parent: string | undefined, request: GitRequest): Promise<string> {
  const commit = await commitTree({
    ...request,
    tree: `${side}^{tree}`,
    parent,
    message: 'side',
    evenIfSame: true,
  })
  return commit as string
}
