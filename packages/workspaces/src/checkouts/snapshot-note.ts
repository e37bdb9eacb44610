import { isObject } from '@cadre/core'
import { isSessionName } from '@cadre/home'

/** What the commit of a snapshot stores besides the files of the checkout. */
export interface SnapshotNote {
  /** The commit from which the tree started. */
  readonly start: string
  /** The commit that is checked out. */
  readonly head: string
  /** The branch that is checked out, or null for a detached head. */
  readonly headRef: string | null
  /** The workspaces of isolated sessions. */
  readonly workspaces: readonly SnapshotWorkspace[]
  /** The branch with the result, and its commit. */
  readonly result?: { readonly branch: string; readonly commit: string }
}

/** A `WorkspaceRecord`, with recorded paths. */
export interface SnapshotWorkspace {
  readonly session: string
  readonly agent: string
  readonly path: string
  readonly base: string
  readonly target: string
  readonly branch: string
  readonly start: string
  readonly tip: string
  readonly merged?: string
  readonly created: string
}

const mark = 'Cadre-Snapshot: '

/** The `nonce` makes the commit different from every other one, so that no two workers can push the same commit. */
export function noteMessage(subject: string, note: SnapshotNote, nonce: string): string {
  return `${subject}\n\n${mark}${JSON.stringify({ ...note, nonce })}\n`
}

/** Anyone who can push to the repository can write a note, so everything in it is checked. Returns `undefined` if it is not valid. */
export function readNote(message: string): SnapshotNote | undefined {
  const line = message.split('\n').find((one) => one.startsWith(mark))
  if (line === undefined) return undefined
  let read: unknown
  try {
    read = JSON.parse(line.slice(mark.length))
  } catch {
    return undefined
  }
  if (!isObject(read)) return undefined
  const { start, head, headRef, workspaces, result } = read
  if (!isCommit(start) || !isCommit(head) || !Array.isArray(workspaces)) return undefined
  if (headRef !== null && !(typeof headRef === 'string' && isBranchRef(headRef))) return undefined
  if (!workspaces.every(isWorkspace)) return undefined
  const isResult = isObject(result) && isBranch(result['branch']) && isCommit(result['commit'])
  return {
    start,
    head,
    headRef,
    workspaces,
    ...(isResult && { result: result as unknown as NonNullable<SnapshotNote['result']> }),
  }
}

function isWorkspace(value: unknown): value is SnapshotWorkspace {
  if (!isObject(value)) return false
  const { session, agent, path, base, target, branch, start, tip, merged, created } = value
  return (
    typeof session === 'string' &&
    isSessionName(session) &&
    [agent, path, base, target, created].every((text) => typeof text === 'string') &&
    isBranch(branch) &&
    isCommit(start) &&
    isCommit(tip) &&
    (merged === undefined || isCommit(merged))
  )
}

function isCommit(value: unknown): value is string {
  return typeof value === 'string' && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(value)
}

function isBranch(value: unknown): value is string {
  return typeof value === 'string' && /^cadre[/-]/.test(value) && isRefName(value)
}

/** A name that a note may have for the branch that is checked out. */
export function isBranchRef(name: string): boolean {
  return name.startsWith('refs/heads/') && isRefName(name)
}

/** The rules of `git check-ref-format`. */
function isRefName(name: string): boolean {
  return !/\.\.|@\{|[\s~^:?*[\\\p{Cc}]|\/[/.]|[/.]$|\.lock(\/|$)/u.test(name) && !name.startsWith('-')
}

/** A session's id as part of a ref. Different ids have different names. */
export function refNameOf(session: string): string {
  return [...session]
    .map((letter) =>
      /[\w-]/.test(letter)
        ? letter
        : [...Buffer.from(letter)]
            .map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`)
            .join(''),
    )
    .join('')
}
