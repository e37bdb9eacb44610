import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { CommandRun } from './command-run.ts'
import type { MaskedPath } from './find-masks.ts'
import type { GuardedPaths } from './guarded-paths.ts'
import type { PinnedMounts } from './pinned-mounts.ts'
import type { Sandbox } from './sandbox.ts'
import { secretPaths } from './secret-paths.ts'
import { toolFolders } from './tool-folders.ts'

export interface SandboxLayout {
  readonly run: Pick<CommandRun, 'environment' | 'cwd' | 'network'>
  readonly guarded: GuardedPaths
  readonly pins: PinnedMounts
  /** Paths that the command must not read. */
  readonly masks: readonly MaskedPath[]
  readonly sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>
  /** The folder that replaces the workspace, if the command runs on a copy. */
  readonly copy?: string | undefined
  /** The Cadre home: visible, never writable. */
  readonly home?: string | undefined
  readonly userHome: string
  /** The size limit of each private folder, whose files are in memory. */
  readonly folderMegabytes: number
  /** The file descriptors of bubblewrap's report, of the git settings, and of the seccomp filter if there is one. */
  readonly statusFd: number
  readonly gitFd: number
  readonly filterFd?: number | undefined
}

/** The home directory that a command sees: empty, private, and deleted afterwards. */
export const privateHome = '/tmp/home'

const sharedMemory = '/dev/shm'

/** Returns all arguments before the command. Later mounts cover earlier ones, so the order matters. */
export function bubblewrapArgs(enclosure: SandboxLayout): string[] {
  const { run, guarded, pins, sandbox, copy, home, userHome } = enclosure
  const { root } = guarded
  const hidden = hiddenFolders(userHome)
  const args = ['--ro-bind', '/', '/']
  const size = ['--size', String(enclosure.folderMegabytes * 1024 * 1024)]
  for (const folder of hidden) args.push(...size, '--tmpfs', folder)
  args.push('--dir', privateHome)
  for (const folder of toolFolders({ environment: run.environment, hidden, userHome }))
    args.push('--ro-bind-try', folder, folder)
  if (home !== undefined && !isInside(root, home)) args.push('--ro-bind-try', home, home)
  args.push('--bind', copy ?? root, root)
  // A copy needs no protection, and an external repository is read-only.
  if (copy !== undefined) {
    if (guarded.git !== undefined) args.push('--ro-bind', guarded.git.common, guarded.git.common)
  } else {
    if (guarded.git !== undefined) args.push('--bind', guarded.git.common, guarded.git.common)
    for (const folder of pins.held) args.push('--bind', folder, folder)
    if (guarded.git !== undefined) args.push(...repositoryArgs(guarded.git))
    for (const place of pins.fixed) args.push('--ro-bind', place, place)
  }
  for (const { place, isFolder } of [...secretPaths({ root, userHome }), ...enclosure.masks]) {
    if (isFolder) args.push('--tmpfs', place, '--remount-ro', place)
    else args.push('--ro-bind', '/dev/null', place)
  }
  args.push('--ro-bind-data', String(enclosure.gitFd), `${privateHome}/.gitconfig`)
  if (run.network && existsSync('/run/systemd/resolve'))
    args.push('--ro-bind', '/run/systemd/resolve', '/run/systemd/resolve')
  args.push('--proc', '/proc', '--dev', '/dev', ...size, '--tmpfs', sharedMemory, '--remount-ro', '/dev')
  if (sandbox.closed) args.push('--unshare-user', '--disable-userns')
  args.push('--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try')
  if (!run.network) args.push('--unshare-net')
  args.push('--cap-drop', 'ALL', '--new-session', '--die-with-parent')
  if (enclosure.filterFd !== undefined) args.push('--seccomp', String(enclosure.filterFd))
  args.push('--json-status-fd', String(enclosure.statusFd), '--chdir', run.cwd)
  return args
}

/** Returns the private folders whose files are in memory. A workspace at the same path is on disk. */
export function memoryFolders(root: string, userHome: string): string[] {
  return [...hiddenFolders(userHome), sharedMemory].filter((folder) => folder !== root)
}

/** Returns folders that are empty for every command, except for the workspace and programs in them. */
export function hiddenFolders(userHome: string): string[] {
  const all = ['/tmp', '/var/tmp', '/home', '/root', '/run', '/var/run', '/mnt', '/media', userHome]
  const real = all.flatMap((folder) => {
    try {
      return [realpathSync(folder)]
    } catch {
      return []
    }
  })
  const folders = [...new Set(real)].filter((folder) => folder !== '/')
  // A folder hides the folders below it.
  return folders.filter((folder) => !folders.some((other) => other !== folder && isInside(other, folder)))
}

/** Commits of a worktree are written to its main repository. Files of the main worktree and of other worktrees stay read-only. */
function repositoryArgs({ own, common }: { readonly own: string; readonly common: string }): string[] {
  if (own === common) return []
  const args: string[] = []
  for (const name of ['HEAD', 'index', 'worktrees']) {
    const place = path.join(common, name)
    if (existsSync(place)) args.push('--ro-bind', place, place)
  }
  return [...args, '--bind', own, own]
}
