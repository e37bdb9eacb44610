import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { entryAt, isInside } from '@cadre/disk'
import type { Unreadable, UnwritablePaths } from '../effects/denied-paths.ts'
import type { PathResolver } from '../paths/path-resolver.ts'
import { findDenied } from './find-denied.ts'
import { guardedPaths } from './guarded-paths.ts'
import { pinnedMountsFor } from './pinned-mounts.ts'
import { prepareSandbox } from './prepare-sandbox.ts'
import type { Sandbox } from './sandbox.ts'

/** A program that runs as long as the connection to it, such as an MCP server. */
export interface ServerStart {
  readonly command: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string }
  readonly cwd: string
  /** Data that it can read from file descriptors 3, 4, … */
  readonly inputs?: readonly (string | Uint8Array)[] | undefined
}

export interface SandboxServerOptions {
  readonly sandbox: Extract<Sandbox, { kind: 'bubblewrap' }>
  readonly places: PathResolver
  readonly workspace: string
  readonly userHome: string
  /** The path of the Cadre home. */
  readonly home: string
  /** Whether it may use the network. Only for `workspace`. */
  readonly network: boolean
  readonly unreadableIn?: ((workspace: string) => Unreadable | undefined) | undefined
  readonly unwritableIn?: ((workspace: string) => UnwritablePaths | undefined) | undefined
}

/**
 * Encloses a program in the sandbox of commands: it can write only to the workspace, and not to protected paths in it. Protected paths that
 * do not exist cannot be mounted; `created` returns those that exist now. Rejects with a reason if it cannot be enclosed.
 */
export async function sandboxServer(
  program: ServerStart,
  enclosing: SandboxServerOptions,
): Promise<ServerStart & { readonly created: () => readonly string[] }> {
  const { sandbox, places, workspace, userHome, network } = enclosing
  const guarded = guardedPaths(workspace, places)
  const { root } = guarded
  const cwd = realpathSync(program.cwd)
  if (!isInside(root, cwd)) throw new Error(`the server's folder ${program.cwd} is outside the workspace`)
  const home = existsSync(enclosing.home) ? realpathSync(enclosing.home) : undefined
  const denied = await findDenied(root, enclosing, { home })
  if (denied.kind === 'refused') throw new Error(denied.reason)
  // Unlike a command, a server never writes to a repository outside the workspace.
  const { git: _, ...inside } = guarded
  const run = { environment: program.env, cwd, network }
  const enclosed = await prepareSandbox({ run, guarded: inside, sandbox, home, userHome, denied })
  const absent = enclosed.pins.loose.filter((place) => entryAt(place) === undefined)
  return {
    command: sandbox.program,
    args: enclosed.args([program.command, ...program.args]),
    env: enclosed.environment as { [name: string]: string },
    cwd: '/',
    // The last one is for the report of bubblewrap, which nobody reads.
    inputs: [...enclosed.inputs, ''],
    created: () => absent.filter((place) => entryAt(place) !== undefined),
  }
}

/** Leaves a program all rights of the user, except that it cannot change protected paths that exist now. */
export function protectPathsFromServer(
  program: ServerStart,
  { sandbox, places, workspace }: Pick<SandboxServerOptions, 'sandbox' | 'places' | 'workspace'>,
): ServerStart {
  const { paths } = guardedPaths(workspace, places)
  const pins = pinnedMountsFor(paths, [path.parse(path.resolve(workspace)).root])
  // Through another process of the user, it could change them at /proc/PID/root.
  const args = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc']
  for (const folder of pins.held) args.push('--bind', folder, folder)
  for (const place of pins.fixed) args.push('--ro-bind', place, place)
  // As root, it could otherwise mount them again.
  args.push('--cap-drop', 'CAP_SYS_ADMIN', '--die-with-parent', '--chdir', program.cwd, '--')
  return { ...program, command: sandbox.program, args: [...args, program.command, ...program.args], cwd: '/' }
}
