import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { SessionSpec } from '@cadre/core'
import { callOf, createWorkspaceFixture, type WorkspaceFixture } from '../workspaces.spec-helpers.ts'
import type { CheckpointLimits } from './checkpoint-folder.ts'
import { type ApplyOptions, type Checkpoints, openCheckpoints, type UndoResult } from './open-checkpoints.ts'
import type { Direction, UndoPlan } from './undo-plan.ts'

/** A project whose agents work in it directly. */
export interface SharedFixture extends Omit<WorkspaceFixture, 'call'> {
  readonly checkpoints: Checkpoints
  /** A separate instance, as in another process. */
  another(): Checkpoints
  session(id?: string, more?: Partial<SessionSpec>): SessionSpec
  /** A call to a tool that names these files, or of a command. */
  call(
    id: string,
    names: readonly string[] | 'command',
    work: () => void,
    session?: SessionSpec,
  ): Promise<void>
  /** Plans and applies an undo or redo. */
  take(direction: Direction, options?: Partial<ApplyOptions>): Promise<UndoResult>
  plan(direction?: Direction): Promise<UndoPlan>
  /** Everything in the project except git's folder and the home: type, permissions and content. */
  all(): Record<string, string>
}

export function createSharedFixture(
  options: { git?: boolean; limits?: Partial<CheckpointLimits> } = {},
): SharedFixture {
  const fixture = createWorkspaceFixture({ git: options.git ?? true })
  const open = () =>
    openCheckpoints({ home: fixture.home, ...(options.limits && { limits: options.limits }) })
  const checkpoints = open()
  const session = (id = 'lead-1', more: Partial<SessionSpec> = {}) =>
    ({ id, root: id, workspace: fixture.project, agent: { name: 'lead' }, ...more }) as SessionSpec
  const workspace = fixture.project
  const plan = async (direction: Direction = 'undo') => {
    const planned = await checkpoints.plan({ direction, workspace })
    if (planned.kind !== 'plan') throw new Error(planned.reason)
    return planned.plan
  }
  return {
    ...fixture,
    checkpoints,
    another: open,
    session,
    async call(id, names, work, spec = session()) {
      const told = await checkpoints.startCall(spec, callOf(id, names === 'command' ? [] : names))
      if (told !== undefined) throw new Error(told)
      work()
      const later = await checkpoints.finishCall(spec, id)
      if (later !== undefined) throw new Error(later)
    },
    plan,
    async take(direction, more = {}) {
      const planned = await checkpoints.plan({ direction, workspace })
      if (planned.kind !== 'plan') return planned
      return checkpoints.apply(planned.plan, { by: 'ada', ...more })
    },
    all: () => contentsOf(fixture.project),
  }
}

export function contentsOf(top: string): Record<string, string> {
  const all: Record<string, string> = {}
  const walk = (folder: string) => {
    for (const name of readdirSync(path.join(top, folder)).sort()) {
      if (name === '.git' || name === '.cadre') continue
      const place = path.join(folder, name)
      const stats = lstatSync(path.join(top, place))
      if (stats.isDirectory()) {
        all[place] = 'folder'
        walk(place)
      } else if (stats.isSymbolicLink()) all[place] = `link ${readlinkSync(path.join(top, place))}`
      else
        all[place] =
          `${(stats.mode & 0o7777).toString(8)} ${readFileSync(path.join(top, place)).toString('base64')}`
    }
  }
  walk('')
  return all
}

/** One change to a folder. Impossible changes are skipped. */
export type Edit =
  | { readonly kind: 'write'; readonly name: string; readonly text: string }
  | { readonly kind: 'delete'; readonly name: string }
  | { readonly kind: 'move'; readonly name: string; readonly to: string }
  | { readonly kind: 'mode'; readonly name: string; readonly mode: number }
  | { readonly kind: 'link'; readonly name: string; readonly to: string }
  | { readonly kind: 'folder'; readonly name: string }

export function edit(top: string, change: Edit): void {
  const place = path.join(top, change.name)
  try {
    switch (change.kind) {
      case 'write':
        mkdirSync(path.dirname(place), { recursive: true })
        writeFileSync(place, change.text)
        return
      case 'delete':
        rmSync(place, { recursive: true, force: true })
        return
      case 'move':
        writeFileSync(path.join(top, change.to), readFileSync(place))
        rmSync(place)
        return
      case 'mode':
        if (!lstatSync(place).isDirectory() && !lstatSync(place).isSymbolicLink())
          chmodSync(place, change.mode)
        return
      case 'link':
        if (!existsSync(place)) symlinkSync(change.to, place)
        return
      case 'folder':
        mkdirSync(place, { recursive: true })
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['ENOENT', 'EISDIR', 'ENOTDIR', 'EEXIST', 'ELOOP'].includes(code)) throw error
  }
}
