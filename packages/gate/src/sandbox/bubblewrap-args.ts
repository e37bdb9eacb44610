import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import type { CommandRun } from './command-run.ts'
import type { Mask } from './find-masks.ts'
import type { GuardedPaths } from './guarded-paths.ts'
import type { Pins } from './pins.ts'
import type { Sandbox } from './sandbox.ts'
import { secretPlaces } from './secret-places.ts'
import { toolFolders } from './tool-folders.ts'

export interface Enclosure {
  readonly run: CommandRun
  readonly guarded: GuardedPaths
  readonly pins: Pins
  /** What nobody may read. */
  readonly masks: readonly Mask[]
  readonly sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>
  /** What takes the workspace's place, when the command runs on a copy. */
  readonly copy?: string | undefined
  /** The cadre home: visible, never writable. */
  readonly home?: string | undefined
  readonly userHome: string
  /** The most that each private folder may hold: its files are in memory. */
  readonly folderMegabytes: number
  /** The descriptors of bubblewrap's own report, of the settings for git, and of the filter if there is one. */
  readonly statusFd: number
  readonly gitFd: number
  readonly filterFd?: number | undefined
}

/** The user's folder as a command sees it: empty, its own, gone afterwards. */
export const privateHome = '/tmp/home'

const sharedMemory = '/dev/shm'

/** Everything before the command itself. Later mounts lie on top of earlier ones, so the order is the meaning. */
export function bubblewrapArgs(enclosure: Enclosure): string[] {
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
  // On a copy nothing has to be held, and a repository elsewhere is only read.
  if (copy !== undefined) {
    if (guarded.git !== undefined) args.push('--ro-bind', guarded.git.common, guarded.git.common)
  } else {
    if (guarded.git !== undefined) args.push('--bind', guarded.git.common, guarded.git.common)
    for (const folder of pins.held) args.push('--bind', folder, folder)
    if (guarded.git !== undefined) args.push(...repositoryArgs(guarded.git))
    for (const place of pins.fixed) args.push('--ro-bind', place, place)
  }
  for (const { place, isFolder } of [...secretPlaces({ root, userHome }), ...enclosure.masks]) {
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

/** The private folders whose files are in memory. A workspace in the place of one of them is on the disk. */
export function memoryFolders(root: string, userHome: string): string[] {
  return [...hiddenFolders(userHome), sharedMemory].filter((folder) => folder !== root)
}

/** Empty for every command, but for the workspace and the programs that lie in them. */
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
  // The upper ones hide the lower ones.
  return folders.filter((folder) => !folders.some((other) => other !== folder && isInside(other, folder)))
}

/**
 * A worktree's commits are written into the repository it belongs to. What is the main worktree's own, or another's, stays
 * as it is.
 */
function repositoryArgs({ own, common }: { readonly own: string; readonly common: string }): string[] {
  if (own === common) return []
  const args: string[] = []
  for (const name of ['HEAD', 'index', 'worktrees']) {
    const place = path.join(common, name)
    if (existsSync(place)) args.push('--ro-bind', place, place)
  }
  return [...args, '--bind', own, own]
}
