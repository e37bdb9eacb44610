import type { Stats } from 'node:fs'
import path from 'node:path'
import { isInside } from '@cadre/disk'
import { type FollowedLink, followLinks, type LinkStep } from './follow-links.ts'
import { fileIdentity, isLinkedFrom } from './linked-from.ts'
import { createMounts, type Mount, type MountedPath, mountsIn } from './mounts.ts'
import { protectedRootsIn } from './own-roots.ts'
import { invalidPathReason } from './path-spelling.ts'
import { plainName } from './plain-name.ts'
import { protectionByName } from './protected-names.ts'
import {
  type ProtectedRoot,
  projectRoots,
  protectedRoots,
  type RootOptions,
  rootsIn,
} from './protected-roots.ts'
import { gitFoldersOf } from './repository-folders.ts'
import { isInBareRepository } from './repository-parts.ts'
import { sharesContent } from './shares-content.ts'
import { statsAt, withLookupCache } from './with-lookup-cache.ts'

export type ResolvedPath =
  | {
      readonly kind: 'inside'
      readonly real: string
      /** Relative to the workspace, with `/`; `.` for the workspace itself. */
      readonly shown: string
      /** The real path of the workspace. */
      readonly root: string
      /** Set if the path is in a mount, not in the workspace. */
      readonly mount?: Mount
    }
  | {
      readonly kind: 'outside' | 'protected' | 'invalid'
      readonly real?: string
      readonly reason: string
    }

/**
 * The names of rules about paths, by the kind of the path. `effects/create-effects-rule.ts` denies such a path to tools,
 * `effects/create-server-rule.ts` asks before an MCP server gets it, and `commands/create-command-rule.ts` denies it as the folder of a
 * command.
 */
export const pathRules = {
  outside: 'paths.outside',
  protected: 'paths.protected',
  invalid: 'paths.invalid',
} as const

export interface PathRequest {
  /** As written: relative to the workspace, or absolute. */
  readonly path: string
  readonly workspace: string
  readonly write: boolean
  /** A protected path that this agent may write anyway: its artifact, relative to the workspace. */
  readonly own?: string
  /** False: resolve as the system does, which applies to commands. */
  readonly mounts?: false
  /** A backslash is an ordinary character, as for programs. */
  readonly asWritten?: true
}

/**
 * Resolves paths and decides who may access them. A verdict applies only at that moment: code that opens a file must check
 * again, because a link can replace it at any time.
 */
export interface PathResolver {
  /** Returns the absolute path with links resolved as far as it exists, or undefined if that is unknown. Never throws. */
  locate(path: string, workspace: string): string | undefined
  /** Decides whether a session may read or write a path. Never throws. */
  judge(request: PathRequest): ResolvedPath
  /** Absolute paths of files and folders that no agent may change, existing or not. Excludes names deeper in the workspace. */
  protectedIn(workspace: string): readonly string[]
  /**
   * Folders that agents read in this workspace although they are elsewhere: the memory of the home, unless the workspace
   * has its own.
   */
  mountsIn(workspace: string): readonly Mount[]
}

export function createPathResolver(options: RootOptions = {}): PathResolver {
  const roots = protectedRoots(options)
  const ofProject = projectRoots(options)
  const project = options.project === undefined ? undefined : path.resolve(options.project)
  const mountOf = createMounts(options.home)
  const plainRoots = [...roots, ...ofProject].map((entry) => ({ ...entry, plain: plainName(entry.path) }))

  function judge(request: PathRequest): ResolvedPath {
    const fault = invalidPathReason(request.path, process.platform)
    if (fault !== undefined) return { kind: 'invalid', reason: fault }
    const root = realFolder(request.workspace)
    if (root === undefined)
      return { kind: 'invalid', reason: "This session's workspace does not exist. Create it first." }
    const followed = follow(request.path, request.workspace, root, request.asWritten)
    if (followed.kind === 'lost') return unresolved(request.path, followed.code)
    const mounted = request.mounts === false ? undefined : mountOf(followed, root)
    if (mounted !== undefined) return judgeMounted(request, mounted, root)
    const { real, steps } = followed
    if (real !== root && !real.startsWith(root === path.sep ? root : root + path.sep)) {
      const reason = `${quote(request.path)} is outside the workspace. Use a path inside it.`
      return { kind: 'outside', real, reason }
    }
    const below = real === root ? '.' : real.slice(root === path.sep ? 1 : root.length + 1)
    const shown = path.sep === '/' ? below : below.replaceAll(path.sep, '/')
    const placed: ResolvedPath = { kind: 'inside', real, root, shown }
    if (!request.write) return placed
    const inner = steps.filter((step) => step.real.length > root.length)
    const what = protectionOf({ real, root, shown, steps: inner, own: request.own })
    if (what === undefined) return placed
    const reason = `${shown} belongs to ${what}, which agents may not change. Ask the user to change it.`
    return { kind: 'protected', real, reason }
  }

  function protectionOf(place: Place): string | undefined {
    const { real, root, shown, steps } = place
    const file = steps.at(-1)?.real === real ? steps.at(-1)?.stats : undefined
    const here = [
      ...roots,
      ...(project === undefined || project === root ? [] : protectedRootsIn(project)),
      ...protectedRootsIn(root),
      ...gitRoots(root),
    ]
    if (isOwn(place)) return isShared(file, here) ? 'a protected file under another name' : undefined
    const plain = plainName(shown)
    const plainNames = plain.split('/')
    const byName = protectionByName(plainNames)
    if (byName !== undefined) return byName
    if (isInBareRepository(root, shown.split('/'), plainNames))
      return 'a git repository (a folder with HEAD, objects and refs)'
    const plainReal = plainName(real)
    const byPlace = plainRoots.find((entry) => covers(entry, { real, plainReal, root }))
    if (byPlace !== undefined) return byPlace.what
    return protectionByIdentity(place, here, file)
  }

  return {
    judge: (request) => withLookupCache(() => judge(request)),
    locate(given, workspace) {
      if (invalidPathReason(given, process.platform) !== undefined) return undefined
      const followed = follow(given, workspace, realFolder(workspace))
      const led = mountOf(followed, realFolder(workspace))?.followed ?? followed
      return led.kind === 'followed' ? led.real : undefined
    },
    mountsIn(workspace) {
      const root = realFolder(workspace)
      return root === undefined ? [] : mountsIn(root, mountOf, (name) => follow(name, workspace, root))
    },
    protectedIn(workspace) {
      const root = realFolder(workspace) ?? path.resolve(workspace)
      const all = [...rootsIn(root), ...gitRoots(root), ...roots, ...ofProject].map((entry) => entry.path)
      return [...new Set(all)]
    },
  }
}

/** Read-only, and confined to the mount: links in it must not point outside. */
function judgeMounted(request: PathRequest, { mount, followed }: MountedPath, root: string): ResolvedPath {
  if (followed.kind === 'lost') return unresolved(request.path, followed.code)
  const { real } = followed
  const { name, folder } = mount
  if (!isInside(folder, real)) {
    const reason = `${quote(request.path)} points outside ${name}/, the ${name} of this home directory. Use a path inside it.`
    return { kind: 'outside', real, reason }
  }
  const below = real === folder ? [] : real.slice(folder.length + 1).split(path.sep)
  const shown = [name, ...below].join('/')
  if (!request.write) return { kind: 'inside', real, root, shown, mount }
  const reason = `${shown} belongs to the ${name} of this home directory, which agents may read but not change. Ask the user to change it, or use another name.`
  return { kind: 'protected', real, reason }
}

interface Place {
  readonly real: string
  readonly root: string
  readonly shown: string
  /** The existing segments below the workspace. */
  readonly steps: readonly LinkStep[]
  readonly own: string | undefined
}

/** Compares resolved paths. The path to it must not contain links, or it could be another file. */
function isOwn({ real, root, own }: Place): boolean {
  return own !== undefined && real === path.resolve(root, own)
}

function covers(
  { path: place, except, plain }: ProtectedRoot & { readonly plain: string },
  { real, plainReal, root }: Pick<Place, 'real' | 'root'> & { readonly plainReal: string },
): boolean {
  if (plainReal !== plain && !plainReal.startsWith(`${plain}/`)) return false
  return !isExcepted(place, except, real, root)
}

/** The exception applies to sessions whose workspace is below it, not to sessions that access it from above. */
function isExcepted(place: string, except: string | undefined, real: string, root: string): boolean {
  if (except === undefined) return false
  const below = path.join(place, except) + path.sep
  return real.startsWith(below) && root.startsWith(below)
}

/**
 * Finds the same file or folder under another path: a link in a protected place, another mount, or a hard link. Names were
 * checked before.
 */
function protectionByIdentity(
  { real, root, steps }: Place,
  roots: readonly ProtectedRoot[],
  file: Stats | undefined,
): string | undefined {
  if (steps.length === 0) return undefined
  const ids = steps.map(({ stats }) => fileIdentity(stats))
  for (const { path: place, except, what } of roots) {
    const stats = statsAt(place)
    if (stats === undefined) continue
    const at = ids.indexOf(fileIdentity(stats))
    const found = steps[at]?.real
    if (found !== undefined && !isExcepted(found, except, real, root)) return what
    // For git and the home, only their contents count: links in them point to nothing that affects decisions.
    const mayLink = stats.isDirectory() && except === undefined && path.basename(place) !== '.git'
    if (mayLink && file !== undefined && isLinkedFrom(place, stats, file)) return what
  }
  return isShared(file, roots) ? 'a protected file under another name' : undefined
}

function isShared(file: Stats | undefined, roots: readonly ProtectedRoot[]): boolean {
  if (file === undefined || !file.isFile() || file.nlink < 2) return false
  return sharesContent(
    file,
    roots.map(({ path: place }) => place),
  )
}

/** A worktree keeps its git files elsewhere, possibly in a workspace folder with any name. */
function gitRoots(root: string): ProtectedRoot[] {
  // A folder named `.git` is protected by its name.
  const folders = gitFoldersOf(root)
  if (folders === undefined || folders.own === path.join(root, '.git')) return []
  return [...new Set([folders.own, folders.common])].map((place) => ({
    path: place,
    what: "git's own files",
  }))
}

/** `root`: the real path of the workspace, if it exists. */
function follow(given: string, workspace: string, root: string | undefined, asWritten?: true): FollowedLink {
  const at = (written: string) => {
    if (path.isAbsolute(written)) {
      // The real path of the workspace contains no links.
      const isBelow = asWritten && root !== undefined && written.startsWith(`${root}/`)
      return isBelow ? followLinks(written.slice(root.length + 1), root) : followLinks(written)
    }
    // Not `path.join`: normalizing before links are followed would give another path.
    return root === undefined
      ? followLinks(`${path.resolve(workspace)}${path.sep}${written}`)
      : followLinks(written, root)
  }
  const followed = at(given)
  if (path.sep === '\\' || asWritten || !given.includes('\\')) return followed
  // Models write `src\main.ts` on every system. Where a backslash is an ordinary character, it counts as one only if such a
  // file exists.
  const exists = followed.kind === 'followed' && followed.steps.at(-1)?.real === followed.real
  return exists ? followed : at(given.replaceAll('\\', '/'))
}

const folders = new Map<string, { readonly real: string; readonly id: string }>()

/** Returns the real path of a workspace. Resolved again if the folder was replaced. */
function realFolder(workspace: string): string | undefined {
  const stats = statsAt(workspace)
  if (stats === undefined) return undefined
  const id = `${fileIdentity(stats)}:${stats.birthtimeMs}`
  const known = folders.get(workspace)
  if (known?.id === id) return known.real
  const followed = followLinks(path.resolve(workspace))
  if (followed.kind === 'lost') return undefined
  const isThere = followed.real === path.sep || followed.steps.at(-1)?.real === followed.real
  if (!isThere) return undefined
  if (folders.size > 1_000) folders.clear()
  folders.set(workspace, { real: followed.real, id })
  return followed.real
}

const sentences: { readonly [code: string]: string } = {
  ELOOP: 'goes through too many symbolic links. Use the path to the real file.',
  ENAMETOOLONG: 'is too long, or contains a name that is too long. Use a shorter path.',
  EACCES: 'is not accessible: permission denied. Use another path.',
}

function unresolved(given: string, code: string): ResolvedPath {
  if (code === 'EPROC') {
    const reason = `${quote(given)} goes through the files of a process, which are outside the workspace. Use a path inside it.`
    return { kind: 'outside', reason }
  }
  return { kind: 'invalid', reason: `${quote(given)} ${sentences[code] ?? `cannot be used (${code}).`}` }
}

function quote(given: string): string {
  return JSON.stringify(given.length > 200 ? `${given.slice(0, 200)}…` : given)
}
