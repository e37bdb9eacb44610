/**
 * Starts an agent program in the sandbox of commands. It runs as long as its session, so this only returns how to start it,
 * and what to do after it has ended. Holds the state of protected files until then.
 */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { defaultCommandLimits } from '@cadre/home'
import { acquireBaseline } from './baseline.ts'
import { bubblewrapArgs, hiddenFolders, privateHome } from './bubblewrap-args.ts'
import { markOf } from './command-mark.ts'
import { enclosedEnvironment, separateNamespaces } from './enclosed-process.ts'
import { findHidden, findReadOnlyPaths } from './find-hidden.ts'
import { gitSettings } from './git-settings.ts'
import { keepCopies } from './keep-copies.ts'
import { pinsFor } from './pins.ts'
import { removeSetIds } from './remove-set-ids.ts'
import { type CommandDeps, realHome, undoDenied, undoNested, withoutGitOf } from './run-command.ts'
import { shellProgram } from './shell-program.ts'
import { type ProtectedChange, undoChanges } from './undo-changes.ts'
import { expectedChangesIn } from './watched-paths.ts'

export interface ProgramToEnclose {
  /** An absolute path. */
  readonly command: string
  readonly args: readonly string[]
  readonly env: { readonly [name: string]: string | undefined }
  /** The only folder of the user that it may change. */
  readonly workspace: string
  /** The program may not change the workspace either. */
  readonly readOnly: boolean
  /** A private folder for its own files. It may change it. */
  readonly folder: string
}

export type EnclosedProgram =
  | {
      readonly kind: 'start'
      readonly command: string
      readonly args: readonly string[]
      readonly cwd: string
      readonly env: { readonly [name: string]: string | undefined }
      /** Written to the file descriptors 3 and up. */
      readonly inputs: readonly Uint8Array[]
      /**
       * Undoes changes of protected files since the start. A person may have made them meanwhile, so Cadre keeps copies.
       * Never rejects.
       */
      readonly cleanUp: () => Promise<void>
    }
  /** `reason`: a sentence without a full stop. */
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * `changed` receives what happened to protected files while the program ran. It is called after the program has ended, and only if there is
 * something to report.
 */
export async function encloseProgram(
  program: ProgramToEnclose,
  deps: CommandDeps & { readonly changed: (changes: readonly ProtectedChange[]) => void },
): Promise<EnclosedProgram> {
  const { sandbox } = deps
  if (sandbox.kind === 'none') return { kind: 'refused', reason: sandbox.reason }
  const home = realHome(deps.home)
  const baseline = acquireBaseline(program.workspace, deps.places)
  try {
    const guarded = withoutGitOf(home, baseline.guarded)
    const { root } = guarded
    const hidden = await findHidden(root, false, deps)
    if (hidden.kind === 'refused') return release(hidden)
    const began = Date.now()
    const unchangeable = await findReadOnlyPaths(root, deps.unwritableIn?.(root), home?.path)
    if (unchangeable.kind === 'refused') return release(unchangeable)
    const writable = [root, ...(guarded.git === undefined ? [] : [guarded.git.common])]
    const more = { held: [...hidden.held, ...unchangeable.held], fixed: unchangeable.places }
    const pins = pinsFor(guarded.paths, writable, more)
    const snapshot = baseline.snapshot([
      ...pins.loose,
      ...unchangeable.named.filter((place) => !unchangeable.places.includes(place)),
    ])
    const keep = keepCopies(home)
    const userHome = deps.userHome ?? homedir()
    const { filter } = sandbox
    const env = definedOnly(program.env)
    const args = bubblewrapArgs({
      // It has to reach its model and the tools of Cadre.
      run: { cwd: root, network: true, environment: env },
      guarded,
      pins,
      masks: hidden.masks,
      sandbox,
      home: home !== undefined && existsSync(home.path) ? home.path : undefined,
      userHome,
      folderMegabytes: Math.ceil(defaultCommandLimits.memoryMegabytes / 2),
      gitFd: 3,
      ...(filter === undefined ? { statusFd: 4 } : { filterFd: 4, statusFd: 5 }),
    })
    const { git } = guarded
    const writableMounts = [root, ...pins.held, ...(git === undefined ? [] : new Set([git.common, git.own]))]
    const own = filesOf(program, hiddenFolders(userHome)).flatMap((place) => ['--ro-bind-try', place, place])
    return {
      kind: 'start',
      command: sandbox.program,
      args: [
        ...args,
        ...own,
        // Not a new mount of the workspace: it would uncover what is hidden in it.
        ...(program.readOnly ? writableMounts.flatMap((place) => ['--remount-ro', place]) : []),
        ...['--bind', program.folder, program.folder],
        ...['--', shellProgram(), '-c', separateNamespaces, 'sh', '-'],
        program.command,
        ...program.args,
      ],
      cwd: '/',
      env: {
        ...enclosedEnvironment(env, userHome),
        HOME: isInside(program.folder, env['HOME'] ?? '') ? env['HOME'] : privateHome,
        ...markOf(program.folder, home).environment,
      },
      inputs: [
        Buffer.from(await gitSettings()),
        ...(filter === undefined ? [] : [filter]),
        // bubblewrap writes its status here.
        new Uint8Array(),
      ],
      async cleanUp() {
        try {
          const task = { baseline, began, deps: { ...deps, home }, unchangeable, keep }
          const changes = [
            ...undoChanges(snapshot, { ...expectedChangesIn(undefined), keep }),
            ...undoNested(task),
            ...(await undoDenied(task)),
            ...(filter === undefined ? await removeSetIds(root, began) : []),
          ]
          if (changes.length > 0) deps.changed(changes)
        } catch {
          deps.changed([{ path: root, what: 'changed', undone: false }])
        } finally {
          baseline.release()
        }
      },
    }
  } catch (error) {
    baseline.release()
    throw error
  }

  function release(refused: { readonly kind: 'refused'; readonly reason: string }): EnclosedProgram {
    baseline.release()
    return refused
  }
}

function definedOnly(env: ProgramToEnclose['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
}

/** The files of the program that are in a hidden folder: the package of each file in its command, or the file itself. */
function filesOf({ command, args }: ProgramToEnclose, hidden: readonly string[]): string[] {
  return [command, ...args].flatMap((word) => {
    if (!path.isAbsolute(word)) return []
    try {
      const real = realpathSync(word)
      if (!statSync(real).isFile()) return []
      return [...new Set([word, real])].flatMap((file) =>
        hidden.some((folder) => isInside(folder, file)) ? [packageOf(file, hidden)] : [],
      )
    } catch {
      return []
    }
  })
}

function packageOf(file: string, hidden: readonly string[]): string {
  for (let folder = path.dirname(file), depth = 0; depth < 5; depth++) {
    // Never a whole folder that must stay hidden.
    if (hidden.some((place) => isInside(folder, place))) break
    if (existsSync(path.join(folder, 'package.json'))) {
      // Packages beside it, which it may need.
      const above = folder.lastIndexOf(`${path.sep}node_modules${path.sep}`)
      return above < 0 ? folder : path.join(folder.slice(0, above), 'node_modules')
    }
    folder = path.dirname(folder)
  }
  return file
}
