import { readlink, realpath } from 'node:fs/promises'
import path from 'node:path'
import { faultInSpelling } from './path-spelling.ts'
import { type ProtectedPath, protectedPaths, type RealPath } from './protected-paths.ts'
import { codeOf, explain, Refusal } from './refusal.ts'

/** A path that was found to be inside the workspace. Use `real`, never what the model wrote. */
export interface ConfinedPath extends RealPath {
  /** The workspace's own real path. */
  readonly root: string
}

export type Confinement =
  | ({ readonly kind: 'inside' } & ConfinedPath)
  | { readonly kind: 'outside' | 'protected' | 'invalid'; readonly reason: string }

export interface ConfineRequest {
  /** Absolute path of the folder the session may change. */
  readonly workspace: string
  /** As the model wrote it: relative to the workspace, or absolute. */
  readonly path: string
  readonly write?: boolean
  readonly protectedPath?: ProtectedPath
}

/**
 * Where a path really leads, and whether a session may go there. The answer holds for the moment it is given: whoever
 * opens the file looks again (`openRegular`, `inFolder`), because a link can be put in its place at any time.
 */
export async function confine(request: ConfineRequest): Promise<Confinement> {
  const { workspace, write = false, protectedPath = protectedPaths() } = request
  const fault = faultInSpelling(request.path, process.platform)
  if (fault !== undefined) return { kind: 'invalid', reason: fault }
  try {
    const root = await realpath(workspace)
    // Joined to the workspace as it was given: an absolute path may name it through a link of its own.
    const real = await realPathOf(path.resolve(workspace, await posixPath(workspace, request.path)))
    const relative = path.relative(root, real)
    if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative)) {
      return {
        kind: 'outside',
        reason: `${show(request.path)} is outside of the workspace; use a path inside it.`,
      }
    }
    const shown = relative === '' ? '.' : relative.split(path.sep).join('/')
    const protection = write ? protectedPath({ real, shown }) : undefined
    if (protection !== undefined) return { kind: 'protected', reason: protection }
    return { kind: 'inside', root, real, shown }
  } catch (error) {
    return { kind: 'invalid', reason: explain(error) }
  }
}

/** As `confine`, for tools: everything but a usable path ends the tool's work. */
export async function confined(request: ConfineRequest): Promise<ConfinedPath> {
  const found = await confine(request)
  if (found.kind !== 'inside') throw new Refusal(found.reason)
  return found
}

const mostLinks = 40

/** As `realpath`, but the last parts may not exist yet. A link to something missing is followed, as writing would. */
async function realPathOf(target: string, links = 0): Promise<string> {
  try {
    return await realpath(target)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
  const parent = path.dirname(target)
  if (parent === target) return target
  const folder = await realPathOf(parent, links)
  const link = await linkAt(path.join(folder, path.basename(target)))
  if (link === undefined) return path.join(folder, path.basename(target))
  if (links >= mostLinks) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
  return realPathOf(path.resolve(folder, link), links + 1)
}

async function linkAt(target: string): Promise<string | undefined> {
  try {
    return await readlink(target)
  } catch (error) {
    const code = codeOf(error)
    // UNKNOWN is what Windows says for something that is not a link.
    if (code === 'ENOENT' || code === 'EINVAL' || code === 'UNKNOWN') return undefined
    throw error
  }
}

/** Models write `src\main.ts` on every system. Where a backslash is a letter, it is one only if such a file exists. */
async function posixPath(workspace: string, given: string): Promise<string> {
  if (path.sep === '\\' || !given.includes('\\')) return given
  try {
    await realpath(path.resolve(workspace, given))
    return given
  } catch {
    return given.replaceAll('\\', '/')
  }
}

function show(given: string): string {
  return JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given)
}
