import { existsSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { defaultCommandLimits } from '@cadre/home'
import { bubblewrapArgs, type SandboxLayout } from './bubblewrap-args.ts'
import type { DeniedInWorkspace } from './find-denied.ts'
import { gitSettings } from './git-settings.ts'
import { type PinnedMounts, pinnedMountsFor } from './pinned-mounts.ts'
import { sandboxedEnvironment, sandboxStartScript } from './sandboxed-process.ts'
import { shellProgram } from './shell-program.ts'

export interface SandboxRequest
  extends Pick<SandboxLayout, 'run' | 'guarded' | 'sandbox' | 'copy' | 'home' | 'userHome'> {
  readonly denied: Pick<Extract<DeniedInWorkspace, { kind: 'found' }>, 'hidden' | 'unchangeable'>
  /** The memory that the program may use. Default: that of a command. */
  readonly memoryMegabytes?: number | undefined
  /** The maximum number of threads, or `-`. */
  readonly maxThreads?: string | undefined
}

/** How to start something in the sandbox. */
export interface PreparedSandbox {
  readonly pins: PinnedMounts
  /** Protected paths that mounts do not protect: those that do not exist, and links. */
  readonly unmounted: readonly string[]
  /** The arguments of bubblewrap, to run these words. `mounts` come after all others. */
  args(words: readonly string[], mounts?: readonly string[]): string[]
  readonly environment: NodeJS.ProcessEnv
  /** For the file descriptors 3 and up. The next one is for the report of bubblewrap. */
  readonly inputs: readonly (string | Uint8Array)[]
}

const noPins: PinnedMounts = { held: [], fixed: [], loose: [] }

/** Sets up the sandbox for commands, MCP servers and agent programs alike: it is the same for all of them. */
export async function prepareSandbox(request: SandboxRequest): Promise<PreparedSandbox> {
  const { run, guarded, sandbox, copy, home, userHome, denied, maxThreads = '-' } = request
  const { memoryMegabytes = defaultCommandLimits.memoryMegabytes } = request
  const { hidden, unchangeable } = denied
  const { filter } = sandbox
  const writable = [guarded.root, ...(guarded.git === undefined ? [] : [guarded.git.common])]
  const more = { held: [...hidden.held, ...unchangeable.held], fixed: unchangeable.places }
  const pins = copy === undefined ? pinnedMountsFor(guarded.paths, writable, more) : noPins
  // A mount protects the target of a link, not the link.
  const links = unchangeable.named.filter((place) => !unchangeable.places.includes(place))
  const before = bubblewrapArgs({
    run,
    guarded,
    pins,
    masks: hidden.masks.filter(({ place }) => copy === undefined || isThere(place, guarded.root, copy)),
    sandbox,
    copy,
    home: home !== undefined && existsSync(home) ? home : undefined,
    userHome,
    // Half of the limit, so that one of them cannot exhaust a machine where usage cannot be watched.
    folderMegabytes: Math.ceil(memoryMegabytes / 2),
    gitFd: 3,
    ...(filter === undefined ? { statusFd: 4 } : { filterFd: 4, statusFd: 5 }),
  })
  const start = ['--', shellProgram(), '-c', sandboxStartScript, 'sh', maxThreads]
  return {
    pins,
    unmounted: [...pins.loose, ...links],
    args: (words, mounts = []) => [...before, ...mounts, ...start, ...words],
    environment: sandboxedEnvironment(run.environment, userHome),
    inputs: [await gitSettings(), ...(filter === undefined ? [] : [filter])],
  }
}

/** A place of the workspace in a copy of it. */
export function pathInCopy(place: string, root: string, copy: string): string {
  return path.join(copy, path.relative(root, place))
}

function isThere(place: string, root: string, copy: string): boolean {
  return existsSync(isInside(root, place) ? pathInCopy(place, root, copy) : place)
}
