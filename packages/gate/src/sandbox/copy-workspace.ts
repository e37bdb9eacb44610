import { execFile } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isInside, namesIn } from '@cadre/disk'
import type { Home } from '@cadre/home'
import { cleanEnvironment } from './clean-environment.ts'
import { findProgram } from './find-program.ts'

export type CopiedWorkspace =
  | { readonly kind: 'copied'; readonly folder: string; remove(): void }
  | { readonly kind: 'refused'; readonly reason: string }

export interface CopyLimits {
  readonly bytes: number
  readonly files: number
}

const copyLimits: CopyLimits = { bytes: 2_000_000_000, files: 200_000 }

/** Creates a disposable copy of a workspace, without the Cadre home. First deletes copies that dead processes left. */
export async function copyWorkspace(
  root: string,
  options: { readonly home?: Home | undefined; readonly limits?: CopyLimits },
  signal: AbortSignal,
): Promise<CopiedWorkspace> {
  const { home, limits = copyLimits } = options
  const left = home !== undefined && isInside(root, home.path) ? home.path : undefined
  const size = measure(root, left, limits)
  if (size.files > limits.files || size.bytes > limits.bytes) {
    const reason = `this agent's commands run on a copy, but the workspace is too large to copy (more than ${limits.files} files or ${Math.round(limits.bytes / 1e6)} MB). Remove build output and downloads, or delegate to an agent that may change files`
    return { kind: 'refused', reason }
  }
  // Inside the home, on the same disk, unless the home is inside the copied folder.
  const isBeside = home !== undefined && (left === undefined || path.dirname(left) === root)
  const above =
    (isBeside ? home.folder('storage', 'copies') : undefined) ??
    ensureFolder(path.join(tmpdir(), `cadre-copies-${process.getuid?.() ?? 0}`))
  removeStaleCopies(above)
  const folder = mkdtempSync(path.join(above, `${process.pid}-`))
  writeFileSync(path.join(folder, 'owner'), startOf(process.pid) ?? '')
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  const fault = await copy(root, path.join(folder, 'workspace'), left, signal)
  if (fault === undefined) return { kind: 'copied', folder: path.join(folder, 'workspace'), remove }
  remove()
  return { kind: 'refused', reason: `cannot copy the workspace: ${fault}` }
}

async function copy(
  from: string,
  to: string,
  left: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  mkdirSync(to, { mode: lstatSync(from).mode & 0o777 })
  const names = readdirSync(from).filter((name) => path.join(from, name) !== left)
  if (names.length === 0) return undefined
  const program = findProgram('cp', process.env, from) ?? '/bin/cp'
  // If the file system supports it, blocks are shared instead of copied. Not every cp has this option.
  const ways = process.platform === 'linux' ? [['-a', '--reflink=auto'], ['-a']] : [['-Rp']]
  let said = ''
  for (const options of ways) {
    said = await run(program, [...options, '--', ...names, to], from, signal)
    if (signal.aborted) return 'the call was cancelled'
    // A file that disappeared meanwhile or is unreadable does not matter. A missing folder does.
    const isThere = names.every((name) => isAt(path.join(to, name)) || !isAt(path.join(from, name)))
    if (isThere && !/no space|quota/i.test(said)) {
      if (left !== undefined)
        rmSync(path.join(to, path.relative(from, left)), { recursive: true, force: true })
      return undefined
    }
  }
  return said.split('\n')[0] || 'cp copied nothing'
}

function isAt(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false }) !== undefined
}

/** Resolves with the error output. */
function run(program: string, args: readonly string[], cwd: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      program,
      args,
      { cwd, signal, maxBuffer: 64_000_000, env: cleanEnvironment(process.env, []) },
      (error, _, stderr) => resolve(error === null ? '' : stderr || error.message),
    )
  })
}

function measure(
  root: string,
  left: string | undefined,
  limits: CopyLimits,
): { files: number; bytes: number } {
  let [files, bytes] = [0, 0]
  const waiting = [root]
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (at === left) continue
    const stats = lstatSync(at, { throwIfNoEntry: false })
    if (stats === undefined) continue
    files++
    if (stats.isDirectory()) for (const name of namesIn(at)) waiting.push(path.join(at, name))
    else bytes += stats.size
    if (files > limits.files || bytes > limits.bytes) break
  }
  return { files, bytes }
}

/** Deletes copies whose process is gone. */
function removeStaleCopies(above: string): void {
  for (const name of namesIn(above)) {
    const pid = Number(name.split('-')[0])
    const folder = path.join(above, name)
    if (pid === process.pid || (startOf(pid) !== undefined && startOf(pid) === ownerOf(folder))) continue
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

function ownerOf(folder: string): string | undefined {
  try {
    return readFileSync(path.join(folder, 'owner'), 'utf8')
  } catch {
    return undefined
  }
}

/** Returns the start time of a process, because process ids are reused. Undefined if it is not running. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

function ensureFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
