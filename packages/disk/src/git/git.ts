import { setMaxListeners } from 'node:events'
import { existsSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { CadreError } from '@cadre/core'
import { startProcess } from '../system/start-process.ts'
import { findGit } from './find-git.ts'
import { remoteEnvironment, remoteSettings, sshCommand } from './remote-access.ts'

export interface GitRequest {
  /** The working directory if no work tree is given. */
  readonly cwd: string
  /** The repository. Without it, git searches `cwd` and its parents, or uses none if it may reach other repositories. */
  readonly gitDir?: string | undefined
  readonly workTree?: string | undefined
  /** Replaces the index of the repository. */
  readonly index?: string | undefined
  /** Writes new objects into `write`, and reads those in `read` too. Without it, objects are in the repository. */
  readonly objects?: { readonly write: string; readonly read: readonly string[] } | undefined
  /** Additional settings, as `name=value`. */
  readonly settings?: readonly string[] | undefined
  /** Allows git to reach other repositories, with the user's settings and credentials. The repository's own settings must be trusted. */
  readonly usesRemotes?: boolean
  /** How long another repository may send nothing before git gives up. Default: 5 minutes. */
  readonly stallSeconds?: number | undefined
  /** Additional variables for git and the programs that it starts. Unlike arguments, other users cannot see them. */
  readonly variables?: Readonly<Record<string, string>> | undefined
  readonly input?: string | Uint8Array | undefined
  /** The maximum output in bytes. More is a failure. */
  readonly max?: number
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

export interface GitEnd {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface RawEnd extends Omit<GitEnd, 'stdout'> {
  readonly stdout: Buffer
}

/** Settings for every git command, which override the repository's: git runs no hooks and prompts for nothing. */
const settings: readonly string[] = [
  'user.name=Cadre',
  'user.email=cadre@localhost',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.autocrlf=false',
  'core.safecrlf=false',
  'core.quotePath=false',
  'core.pager=cat',
  'core.editor=false',
  'core.attributesFile=/dev/null',
  'commit.gpgSign=false',
  'tag.gpgSign=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'diff.ignoreSubmodules=all',
  'diff.external=',
  'init.defaultBranch=main',
  'init.templateDir=',
  'advice.detachedHead=false',
]

/** Git starts no programs, uses no network and reads no other repositories. */
const localSettings = ['core.askPass=', 'core.sshCommand=false', 'credential.helper=', 'protocol.allow=never']

const toArgs = (all: readonly string[]) => all.flatMap((setting) => ['-c', setting])
const localArgs = toArgs([...settings, ...localSettings])

/** Runs git without a shell and returns its output. Rejects with a `CadreError` if it fails. */
export async function git(args: readonly string[], request: GitRequest): Promise<string> {
  const { code, stdout, stderr } = await tryGit(args, request)
  if (code === 0) return stdout
  throw gitError(`git ${args[0]} failed: ${lastLines(stderr, stdout)}`, stderr, request)
}

/** Like `git`, but returns bytes, because files are not always text. */
export async function gitBytes(args: readonly string[], request: GitRequest): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(args, request)
  if (code === 0) return stdout
  throw gitError(`git ${args[0]} failed: ${lastLines(stderr, '')}`, stderr, request)
}

/** An error for a failed git command. If the disk is full, that is its cause, which git does not always report. */
export function gitError(message: string, stderr: string, request: GitRequest): CadreError {
  const { cwd, workTree = cwd, gitDir = cwd } = request
  const isFull =
    /No space left on device|Disk quota exceeded/i.test(stderr) || [cwd, workTree, gitDir].some(isFullDisk)
  const cause = isFull && Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  return new CadreError('agent_execution', message, { where: workTree, ...(cause && { cause }) })
}

/** With fewer free bytes than this, a full disk is a likely cause of a failed write. */
const minFreeBytes = 256 << 10

function isFullDisk(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(place)
    return bavail * bsize < minFreeBytes
  } catch {
    return false
  }
}

/** Like `git`, but returns a failure as a value. Rejects only if git cannot run to its end. */
export async function tryGit(args: readonly string[], request: GitRequest): Promise<GitEnd> {
  const end = await runGit(args, request)
  return { ...end, stdout: end.stdout.toString('utf8') }
}

async function runGit(args: readonly string[], request: GitRequest): Promise<RawEnd> {
  return startGit(args, request, request.usesRemotes ? await sshVariables(request) : {})
}

/** Empty if the user has chosen an ssh command: it stays as it is. */
async function sshVariables({ cwd, signal, stallSeconds }: GitRequest): Promise<Record<string, string>> {
  if (process.env['GIT_SSH_COMMAND'] || process.env['GIT_SSH']) return {}
  const chosen = await startGit(['config', '--get', 'core.sshCommand'], { cwd, signal, usesRemotes: true })
  return chosen.code === 0 ? {} : { GIT_SSH_COMMAND: sshCommand(stallSeconds) }
}

async function startGit(
  args: readonly string[],
  request: GitRequest,
  ssh: Readonly<Record<string, string>> = {},
): Promise<RawEnd> {
  const { cwd, gitDir, workTree, settings: more = [], signal } = request
  const { max = 64_000_000, timeoutMs = 120_000, input } = request
  signal?.throwIfAborted()
  // The settings of a repository around `cwd` could run programs with the user's credentials.
  const repository = gitDir ?? (request.usesRemotes ? '/dev/null' : undefined)
  const all = [
    ...(request.usesRemotes ? toArgs([...settings, ...remoteSettings(request.stallSeconds)]) : localArgs),
    ...toArgs(more),
    ...(repository === undefined ? [] : [`--git-dir=${repository}`]),
    ...(workTree === undefined ? [] : [`--work-tree=${workTree}`]),
    '--no-pager',
    '--literal-pathspecs',
    ...args,
  ]
  const program = findGit()
  return new Promise((resolve, reject) => {
    const child = startProcess(program, all, {
      // In a subfolder of a work tree, git would consider only that folder.
      cwd: workTree !== undefined && existsSync(workTree) ? workTree : cwd,
      env: { ...environment(request), ...ssh },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal must reach only Cadre, which lets git finish or stops it.
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const out: Buffer[] = []
    let size = 0
    let said = ''
    let failure: CadreError | undefined
    let killer: NodeJS.Timeout | undefined
    const stop = (error: CadreError) => {
      failure ??= error
      child.kill('SIGTERM')
      // A program that reaches a remote, such as ssh, does not always end with git.
      if (!request.usesRemotes) return
      endGroup(child.pid, 'SIGTERM')
      killer ??= setTimeout(() => endGroup(child.pid, 'SIGKILL'), killDelayMs)
    }
    const timer = setTimeout(() => {
      stop(new CadreError('timeout', `git ${args[0]} took longer than ${timeoutMs / 1000} s`, { where: cwd }))
    }, timeoutMs)
    const cancel = () => stop(new CadreError('cancelled', `git ${args[0]} was cancelled`, { where: cwd }))
    // Many children can start at once, each with its own git process and the same parent signal.
    if (signal !== undefined) setMaxListeners(0, signal)
    signal?.addEventListener('abort', cancel, { once: true })
    const settle = () => {
      clearTimeout(timer)
      clearTimeout(killer)
      signal?.removeEventListener('abort', cancel)
    }
    child.stdout.on('data', (bytes: Buffer) => {
      size += bytes.length
      if (size <= max) out.push(bytes)
      else
        stop(
          new CadreError('agent_execution', `git ${args[0]} printed more than ${max} bytes`, { where: cwd }),
        )
    })
    child.stderr.on('data', (bytes: Buffer) => {
      if (said.length < 20_000) said += bytes.toString('utf8')
    })
    // If git ends before it has read everything, its own error message explains why.
    child.stdin.on('error', () => {})
    child.stdin.end(input ?? '')
    child.on('error', (error) => {
      settle()
      reject(
        new CadreError('configuration', `cannot run git: ${error.message}`, { where: cwd, cause: error }),
      )
    })
    child.on('close', (code) => {
      settle()
      if (failure !== undefined && request.usesRemotes) endGroup(child.pid, 'SIGKILL')
      if (failure !== undefined) reject(failure)
      else resolve({ code: code ?? 128, stdout: Buffer.concat(out), stderr: said })
    })
  })
}

/** How long programs that git has started have to end. */
const killDelayMs = 2000

function endGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined || process.platform === 'win32') return
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

const passedVariables = ['PATH', 'TMPDIR', 'TMP', 'TEMP', 'SystemRoot', 'LD_LIBRARY_PATH']
/**
 * Git's environment contains nothing from outside, unless it reaches other repositories. Without a home folder, git uses no settings,
 * attributes or ignore rules of the user.
 */
function environment(request: GitRequest): NodeJS.ProcessEnv {
  const { index, objects, usesRemotes = false, variables } = request
  const kept = passedVariables.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...(usesRemotes ? remoteEnvironment(process.env) : Object.fromEntries(kept)),
    ...variables,
    LC_ALL: 'C',
    ...(!usesRemotes && { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    ...(index !== undefined && { GIT_INDEX_FILE: index }),
    ...(objects && {
      GIT_OBJECT_DIRECTORY: objects.write,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects.read.map(quotedPath).join(path.delimiter),
    }),
  }
}

/** Git splits the list at the separator, unless a path is quoted. */
function quotedPath(folder: string): string {
  if (!folder.includes(path.delimiter) && !folder.startsWith('"')) return folder
  return `"${folder.replace(/["\\]/g, '\\$&')}"`
}

function lastLines(stderr: string, stdout: string): string {
  const text = stderr.trim() || stdout.trim() || 'git printed nothing'
  return text.split('\n').slice(-4).join(' ').slice(0, 600)
}
