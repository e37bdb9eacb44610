/**
 * Starts an agent program in the sandbox of commands. It runs as long as its session, so this only returns how to start it,
 * and what to do after it has ended. Holds the state of protected files until then.
 */

import { existsSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { acquireBaseline } from './baseline.ts'
import { hiddenFolders, privateHome } from './bubblewrap-args.ts'
import { markOf } from './command-mark.ts'
import { findDenied } from './find-denied.ts'
import { keepCopies } from './keep-copies.ts'
import { prepareSandbox } from './prepare-sandbox.ts'
import { removeSetIds } from './remove-set-ids.ts'
import { type CommandOptions, realHome, withoutGitOf } from './run-guarded-command.ts'
import { type ProtectedChange, undoChanges } from './undo-changes.ts'
import { undoDenied, undoNested } from './undo-created.ts'
import { expectedChangesIn } from './watched-paths.ts'

export interface ProgramToSandbox {
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

export type SandboxedProgram =
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
export async function sandboxProgram(
  program: ProgramToSandbox,
  deps: CommandOptions & { readonly changed: (changes: readonly ProtectedChange[]) => void },
): Promise<SandboxedProgram> {
  const { sandbox } = deps
  if (sandbox.kind === 'none') return { kind: 'refused', reason: sandbox.reason }
  const home = realHome(deps.home)
  const baseline = acquireBaseline(program.workspace, deps.places)
  try {
    const guarded = withoutGitOf(home, baseline.guarded)
    const { root } = guarded
    const denied = await findDenied(root, deps, { home: home?.path })
    if (denied.kind === 'refused') return release(denied)
    const { began, unchangeable } = denied
    const keep = keepCopies(home)
    const userHome = deps.userHome ?? homedir()
    const env = definedOnly(program.env)
    const enclosed = await prepareSandbox({
      // It has to reach its model and the tools of Cadre.
      run: { cwd: root, network: true, environment: env },
      guarded,
      sandbox,
      home: home?.path,
      userHome,
      denied,
    })
    const { pins } = enclosed
    const snapshot = baseline.snapshot(enclosed.unmounted)
    const { git } = guarded
    const writableMounts = [root, ...pins.held, ...(git === undefined ? [] : new Set([git.common, git.own]))]
    const own = filesOf(program, hiddenFolders(userHome)).flatMap((place) => ['--ro-bind-try', place, place])
    return {
      kind: 'start',
      command: sandbox.program,
      args: enclosed.args(
        [program.command, ...program.args],
        [
          ...own,
          // Not a new mount of the workspace: it would uncover what is hidden in it.
          ...(program.readOnly ? writableMounts.flatMap((place) => ['--remount-ro', place]) : []),
          ...['--bind', program.folder, program.folder],
        ],
      ),
      cwd: '/',
      env: {
        ...enclosed.environment,
        HOME: isInside(program.folder, env['HOME'] ?? '') ? env['HOME'] : privateHome,
        ...markOf(program.folder, home).environment,
      },
      // bubblewrap writes its status to the last one.
      inputs: [...enclosed.inputs, ''].map((input) => Buffer.from(input)),
      async cleanUp() {
        try {
          const task = { baseline, began, deps: { ...deps, home }, unchangeable, keep }
          const changes = [
            ...undoChanges(snapshot, { ...expectedChangesIn(undefined), keep }),
            ...undoNested(task),
            ...(await undoDenied(task)),
            ...(sandbox.filter === undefined ? await removeSetIds(root, began) : []),
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

  function release(refused: { readonly kind: 'refused'; readonly reason: string }): SandboxedProgram {
    baseline.release()
    return refused
  }
}

function definedOnly(env: ProgramToSandbox['env']): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined))
}

/** The files of the program that are in a hidden folder: the package of each file in its command, or the file itself. */
function filesOf({ command, args }: ProgramToSandbox, hidden: readonly string[]): string[] {
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
