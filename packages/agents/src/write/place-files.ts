import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { rememberOwnWrite } from '@cadre/home'

export interface PlacedFile {
  /** Relative to the folder, with `/`. */
  readonly path: string
  readonly text: string
  /** Written instead of the text, if it is not UTF-8. */
  readonly bytes?: Uint8Array
}

export interface PlaceFilesRequest {
  readonly folder: string
  readonly files: readonly PlacedFile[]
  /** True if existing files may be replaced. */
  readonly force: boolean
  /** Files that may always be replaced, because the new text was made from their content. */
  readonly edited?: ReadonlySet<string>
  /** Only report what would happen. */
  readonly dryRun?: boolean
  /** Only the owner can read new files and folders. */
  readonly isPrivate?: boolean
}

export type Placement =
  | {
      readonly kind: 'placed'
      readonly files: readonly { readonly path: string; readonly status: PlacedStatus }[]
    }
  /** Nothing was written. */
  | { readonly kind: 'refused'; readonly faults: readonly PlaceFault[] }

export type PlacedStatus = 'created' | 'replaced' | 'unchanged'

export interface PlaceFault {
  readonly path: string
  readonly reason: string
  /** It would be written if existing files may be replaced. */
  readonly isTaken?: boolean
}

interface Plan extends PlacedFile {
  readonly target: string
  readonly status: PlacedStatus
  readonly before?: { readonly bytes: Buffer; readonly mode: number }
}

/**
 * Writes files below a folder, all or none; if killed in the middle, some of them. Each file is replaced atomically.
 * Follows no link that points outside the folder, and replaces no link.
 */
export function placeFiles(request: PlaceFilesRequest): Placement {
  const plans: Plan[] = []
  const faults: PlaceFault[] = []
  for (const file of request.files) {
    const found = planOf(file, request)
    if ('reason' in found) faults.push({ path: file.path, ...found })
    else plans.push(found)
  }
  if (faults.length > 0) return { kind: 'refused', faults }
  if (request.dryRun !== true)
    writeAll(
      plans.filter(({ status }) => status !== 'unchanged'),
      request.isPrivate === true,
    )
  return { kind: 'placed', files: plans.map(({ path: at, status }) => ({ path: at, status })) }
}

function planOf(
  file: PlacedFile,
  { folder, force, edited }: PlaceFilesRequest,
): Plan | Omit<PlaceFault, 'path'> {
  const target = path.resolve(folder, file.path)
  if (target === path.resolve(folder) || !isInside(path.resolve(folder), target))
    return { reason: 'It is outside the folder.' }
  const real = realOf(path.dirname(target))
  if (real === undefined || !isInside(realOf(path.resolve(folder)) ?? folder, real))
    return { reason: 'A link in its path points outside the folder.' }
  const stats = statsOf(target)
  if (stats === undefined) return { ...file, target, status: 'created' }
  if (stats.isSymbolicLink())
    return { reason: 'A symbolic link already exists at this path. Remove the link first.' }
  if (!stats.isFile()) return { reason: 'This path exists, but is not a regular file.' }
  const bytes = readFileSync(target)
  if (bytes.equals(contentOf(file))) return { ...file, target, status: 'unchanged' }
  if (!force && edited?.has(file.path) !== true) return { reason: 'It already exists.', isTaken: true }
  return { ...file, target, status: 'replaced', before: { bytes, mode: stats.mode & 0o777 } }
}

function writeAll(plans: readonly Plan[], isPrivate: boolean): void {
  // Undone in reverse order if anything fails.
  const undo: (() => void)[] = []
  try {
    const drafts = plans.map((plan) => {
      for (const made of makeFolder(path.dirname(plan.target), isPrivate)) undo.push(() => rmdirSync(made))
      const draft = `${plan.target}.${randomBytes(6).toString('hex')}.tmp`
      undo.push(() => unlinkSync(draft))
      writeDraft(draft, contentOf(plan), plan.before?.mode ?? (isPrivate ? 0o600 : undefined))
      return { plan, draft }
    })
    for (const { plan, draft } of drafts) {
      const { before, target } = plan
      rememberOwnWrite(target, contentOf(plan))
      if (before === undefined) putNew(draft, target)
      else renameSync(draft, target)
      undo.push(() => (before === undefined ? unlinkSync(target) : writeFileSync(target, before.bytes)))
    }
  } catch (error) {
    for (const step of undo.toReversed()) {
      try {
        step()
      } catch {
        // Not done yet, or already undone.
      }
    }
    throw error
  }
}

function contentOf({ text, bytes }: PlacedFile): Uint8Array {
  return bytes ?? Buffer.from(text)
}

function writeDraft(draft: string, content: Uint8Array, mode: number | undefined): void {
  const file = openSync(draft, 'wx')
  try {
    writeFileSync(file, content)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  if (mode !== undefined) chmodSync(draft, mode)
}

/** Fails if the file has appeared meanwhile, which a rename would replace. */
function putNew(draft: string, target: string): void {
  try {
    linkSync(draft, target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || statsOf(target) !== undefined) throw error
    // Not every file system supports hard links.
    renameSync(draft, target)
    return
  }
  unlinkSync(draft)
}

/** Returns the created folders, outermost first. */
function makeFolder(folder: string, isPrivate: boolean): string[] {
  if (statsOf(folder) !== undefined) return []
  const made = makeFolder(path.dirname(folder), isPrivate)
  mkdirSync(folder, { mode: isPrivate ? 0o700 : 0o777 })
  return [...made, folder]
}

/** Resolves links in a path whose last parts may not exist yet. `undefined` for a dangling link. */
function realOf(target: string): string | undefined {
  try {
    return realpathSync(target)
  } catch {
    const above = path.dirname(target)
    const real = statsOf(target) === undefined && above !== target ? realOf(above) : undefined
    return real === undefined ? undefined : path.join(real, path.basename(target))
  }
}

function statsOf(target: string): Stats | undefined {
  try {
    return lstatSync(target)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Nothing exists below a file.
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}
