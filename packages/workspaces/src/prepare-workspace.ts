import { copyFileSync, existsSync, mkdirSync, realpathSync, rmdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import {
  addWorktree,
  commitOf,
  commitTree,
  type GitRequest,
  git,
  mergeTrees,
  repositoryAt,
  takeSnapshot,
  treeOf,
} from '@cadre/disk'
import type { Home } from '@cadre/home'
import { placeIn, type WorkspaceBase } from './find-base.ts'
import { removeWithoutLoss } from './remove-workspace.ts'
import { gitInRepository, gitInWorkspace, type WorkTreeRequest } from './workspace-git.ts'
import { indexFile, type WorkspaceRecord, writeRecord } from './workspace-record.ts'

export interface NewWorkspace {
  readonly session: string
  readonly root: string
  readonly agent: string
}

/** The initial content of a workspace. */
export interface InitialContent {
  readonly base: WorkspaceBase | undefined
  /** Workspaces whose changes are included from the start. */
  readonly continued: readonly WorkspaceRecord[]
}

export type PreparedWorkspace =
  | { readonly kind: 'made'; readonly record: WorkspaceRecord }
  | { readonly kind: 'impossible'; readonly reason: string }

/** The limits for copying files without a repository. */
const limits = { files: 20_000, bytes: 500_000_000 }

/**
 * Creates a session's workspace: a worktree on its own branch if the base has commits, otherwise a separate
 * repository. It starts with the current content of the base, committed or not. It is recorded before and after creation,
 * so that leftovers of a crash can be recognised.
 */
export async function prepareWorkspace(
  home: Home,
  wanted: NewWorkspace,
  { base, continued }: InitialContent,
  signal: AbortSignal,
): Promise<PreparedWorkspace> {
  const top = topOf(home, wanted.session)
  // Without a base it starts with the existing files, unless the folder is already a repository.
  if (base === undefined ? existsSync(path.join(top, '.git')) : !isUsableFolder(top))
    return { kind: 'impossible', reason: `${top} already exists. Move it elsewhere` }
  home.folder('storage', 'workspaces')
  const { repository } = base ?? {}
  if (base !== undefined && repository !== undefined) {
    const at = await gitInRepository(repository, home.path, signal)
    const head = await commitOf('HEAD', at)
    if (head !== undefined)
      return makeWorktree(home, wanted, { base: { ...base, repository }, head, continued }, at)
  }
  return makeRepository(home, wanted, { base, continued }, signal)
}

/** An empty folder can be used. */
function isUsableFolder(top: string): boolean {
  try {
    rmdirSync(top)
  } catch {
    // It does not exist, or it is not empty.
  }
  return !existsSync(top)
}

interface CommittedContent extends InitialContent {
  readonly base: WorkspaceBase & { readonly repository: NonNullable<WorkspaceBase['repository']> }
  /** The commit it is on. */
  readonly head: string
}

async function makeWorktree(
  home: Home,
  wanted: NewWorkspace,
  { base, head, continued }: CommittedContent,
  at: WorkTreeRequest,
): Promise<PreparedWorkspace> {
  const { session, agent } = wanted
  const { repository } = base
  const index = indexFile(home, session)
  rmSync(index, { force: true })
  const taken = await takeSnapshot({
    ...at,
    index,
    from: path.join(repository.gitDir, 'index'),
    without: home.path,
  })
  if (taken.kind === 'too_large') return { kind: 'impossible', reason: taken.reason }
  const message = `Starting point for ${agent}\n\nThe uncommitted files in ${base.folder}.\n\nSession: ${session}\n`
  const all = await addContinued(taken.tree, continued, { ...at, commonDir: repository.commonDir })
  if (all.kind === 'impossible') return all
  const start = (await commitTree({ ...at, tree: all.tree, parent: head, message })) ?? head
  const top = topOf(home, session)
  const branch = await branchFor(session, at)
  const record: WorkspaceRecord = {
    ...wanted,
    kind: 'worktree',
    state: 'preparing',
    top,
    path: placeIn(top, base),
    base: base.folder,
    target: repository.top,
    gitDir: path.join(repository.commonDir, 'worktrees', path.basename(top)),
    commonDir: repository.commonDir,
    branch,
    start,
    tip: start,
    created: new Date().toISOString(),
  }
  writeRecord(home, record)
  await addWorktree(['-B', branch, top, start], at)
  // Just created by git, so nobody else has used it yet.
  const made = repositoryAt(top)
  if (made === undefined) throw new Error(`unreachable: git made no worktree in ${top}`)
  return finish(home, { ...record, gitDir: made.gitDir, commonDir: made.commonDir })
}

async function makeRepository(
  home: Home,
  wanted: NewWorkspace,
  { base, continued }: InitialContent,
  signal: AbortSignal,
): Promise<PreparedWorkspace> {
  const { session, agent } = wanted
  const [before, ...more] = continued
  if (more.length > 0)
    return {
      kind: 'impossible',
      reason:
        'the session continues several sessions whose files are not in one repository. Merge them first',
    }
  const top = topOf(home, session)
  const gitDir = home.at('storage', 'workspaces', `${session}.git`)
  const index = indexFile(home, session)
  const branch = 'main'
  const folder = base?.folder
  const record: WorkspaceRecord = {
    ...wanted,
    kind: 'repository',
    state: 'preparing',
    top,
    path: top,
    ...(folder !== undefined && { base: folder, target: folder }),
    gitDir,
    commonDir: gitDir,
    branch,
    start: '',
    tip: '',
    created: new Date().toISOString(),
  }
  writeRecord(home, record)
  rmSync(index, { force: true })
  await git(['init', '-q', '--template=', `--separate-git-dir=${gitDir}`, top], { cwd: home.path, signal })
  const own = { cwd: home.path, gitDir, index, signal }
  const taken = await takeSnapshot({
    ...own,
    workTree: before?.top ?? folder ?? top,
    without: home.path,
    limits,
    also: before === undefined ? [] : await filesIn(home, before),
  })
  if (taken.kind === 'too_large') {
    await removeWithoutLoss(home, record)
    return { kind: 'impossible', reason: taken.reason }
  }
  const message = `Starting point for ${agent}\n\n${`The files in ${folder ?? top}.`}\n\nSession: ${session}\n`
  const start = (await commitTree({ ...own, tree: taken.tree, parent: undefined, message })) as string
  await git(['update-ref', `refs/heads/${branch}`, start], own)
  await git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`], own)
  rmSync(index, { force: true })
  // Existing files already have the right content.
  const fill = folder === undefined ? ['read-tree', start] : ['read-tree', '-m', '-u', start]
  await git(fill, { ...own, workTree: top, index: path.join(gitDir, 'index') })
  return finish(home, { ...record, start, tip: start })
}

/** The files that are committed in a workspace, including ignored files that a tool named. */
async function filesIn(home: Home, record: WorkspaceRecord): Promise<readonly string[]> {
  const listed = await git(['ls-files', '-z', '-c'], await gitInWorkspace(home, record))
  return listed.split('\0').filter((name) => name !== '')
}

function finish(home: Home, record: WorkspaceRecord): PreparedWorkspace {
  copyFileSync(path.join(record.gitDir, 'index'), indexFile(home, record.session))
  // A folder without committed files is not in the worktree, but the session still works there.
  if (!existsSync(record.path)) mkdirSync(record.path, { recursive: true })
  const ready: WorkspaceRecord = { ...record, state: 'ready' }
  writeRecord(home, ready)
  return { kind: 'made', record: ready }
}

function topOf(home: Home, session: string): string {
  return path.join(realpathSync(home.folder('workspaces')), session)
}

type WithContinued =
  | { readonly kind: 'tree'; readonly tree: string }
  | { readonly kind: 'impossible'; readonly reason: string }

/** Returns a tree with the changes of these workspaces. */
async function addContinued(
  start: string,
  continued: readonly WorkspaceRecord[],
  { commonDir, ...at }: GitRequest & { readonly commonDir: string },
): Promise<WithContinued> {
  let tree = start
  for (const { session, commonDir: other, start: base, tip, merged } of continued) {
    if (merged === tip) continue
    if (other !== commonDir) {
      const reason = `the session continues session ${session}, which works in another repository. Merge that session first`
      return { kind: 'impossible', reason }
    }
    const sides = { base: merged ?? base, ours: tree, theirs: await treeOf(tip, at) }
    const result = await mergeTrees(sides, at)
    if (result.kind === 'conflicts') {
      const files = result.files.slice(0, 5).join(', ')
      const reason = `the session continues session ${session}, whose changes conflict with others: ${files}`
      return { kind: 'impossible', reason }
    }
    tree = result.tree
  }
  return { kind: 'tree', tree }
}

/** Returns a free branch name for a session: usually `cadre/<session>`. */
async function branchFor(session: string, request: GitRequest): Promise<string> {
  const plain =
    session
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/\.{2,}/g, '.')
      .replace(/(\.lock)+$/i, '')
      .replace(/^[-.]+|[.]+$/g, '') || 'session'
  const ours = ['refs/heads/cadre*', 'refs/heads/cadre/']
  const listed = await git(['for-each-ref', '--format=%(refname:lstrip=2)', ...ours], request)
  const taken = new Set(listed.split('\n'))
  // If there is a branch `cadre`, there can be none below it.
  const first = taken.has('cadre') ? `cadre-${plain}` : `cadre/${plain}`
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? first : `${first}-${attempt}`
    if (!taken.has(name)) return name
  }
}
