import { readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@cadre/core'
import { type Diagnostic, decodeText, isInside } from '@cadre/disk'
import type { TrustItem } from '@cadre/home'
import { fingerprintHooks } from './fingerprint-hooks.ts'
import type { Hook, HookFile, HookLevel, HookSet } from './hook.ts'
import { type HookLocation, hookLocations } from './hook-locations.ts'
import { projectFilesOf } from './project-files-of.ts'
import { type ParsedHooksFile, readHooksFile } from './read-hooks-file.ts'
import { scriptsOf } from './scripts-of.ts'

export interface FindHooksRequest {
  readonly project: string
  readonly userHome: string
  /** `/etc/cadre/hooks.d`: hooks of the administrator. No other file can disable them. */
  readonly policyFolder?: string | undefined
  /** The required owner. Default: root. */
  readonly policyOwner?: number | undefined
  /**
   * True if a person trusts an item of the project. Hooks of the user and the administrator need no trust, unless they run
   * project files.
   */
  readonly trusted: (item: TrustItem) => boolean
  /** A home of the user's own inside the project: its files are not part of the project. */
  readonly ownHome?: string | undefined
  readonly platform?: NodeJS.Platform
}

interface FoundFile {
  readonly place: HookLocation
  readonly read: ParsedHooksFile
  readonly text: string
}

const maxFileSize = 1_000_000

/** Returns all hooks, with the reason for each that does not run. Changes nothing, starts nothing, never throws. */
export function findHooks(request: FindHooksRequest): HookSet {
  const diagnostics: Diagnostic[] = []
  const seen = new Set<string>()
  const found = hookLocations(request).flatMap((place) => {
    const text = textAt(place, request, seen, diagnostics)
    if (text === undefined) return []
    const { platform } = request
    const written = readHooksFile({ ...place, text, ...(platform !== undefined && { platform }) })
    diagnostics.push(...written.diagnostics)
    const hooks = written.hooks.map((hook) => ({ ...hook, scripts: scriptsOf(hook, request.project) }))
    return [{ place, read: { ...written, hooks }, text }]
  })
  const files: HookFile[] = []
  const hooks = found.flatMap((file) => {
    const { place, read, text } = file
    const sha256 = fingerprintHooks(text, read.hooks, request.project)
    const projectFiles = place.level === 'project' ? undefined : filesOfProject(file, request)
    const trusted = request.trusted({ path: place.path, sha256 })
    const runsProject = projectFiles === undefined || request.trusted(projectFiles)
    const usable = read.hooks.filter(({ idle }) => idle === undefined)
    if (read.entries > 0 || read.status !== 'loaded')
      files.push({
        path: place.path,
        level: place.level,
        status: read.status,
        trusted: place.level === 'project' ? trusted : runsProject,
        sha256,
        ...(projectFiles !== undefined && { projectFiles }),
        hooks: usable.length,
      })
    const why = whyIdle(file, found, place.level !== 'project' || trusted)
    return read.hooks.map((hook): Hook => {
      if (why !== undefined) return { ...hook, idle: why }
      if (runsProject || projectFilesOf(hook, request.project, request.ownHome).length === 0) return hook
      const reason = 'the hook runs files in this project, but this folder is not trusted'
      // A required hook of the administrator is not skipped: if it cannot run, the call is denied.
      return place.level === 'policy'
        ? { ...hook, denyReason: reason }
        : { ...hook, idle: hook.idle ?? reason }
    })
  })
  return { hooks, files, diagnostics }
}

/** The trust item for project files that hooks from elsewhere run. */
function filesOfProject(
  { place, read, text }: FoundFile,
  { project, ownHome }: FindHooksRequest,
): HookFile['projectFiles'] {
  const scripts = read.hooks.flatMap((hook) => projectFilesOf(hook, project, ownHome))
  if (scripts.length === 0) return undefined
  return {
    path: `${project}#${place.path}`,
    sha256: fingerprintHooks(text, [{ scripts }], project),
    files: [...new Set(scripts.map((script) => script.path))],
  }
}

const levels: readonly HookLevel[] = ['agent', 'project', 'user', 'policy']

/**
 * A file can disable its own hooks, and settings those of their level and below. A repository must not disable the user's
 * hooks.
 */
function whyIdle(
  { place, read }: FoundFile,
  all: readonly FoundFile[],
  trusted: boolean,
): string | undefined {
  if (place.level !== 'policy') {
    if (read.disables === 'file') return 'disableAllHooks is set in this file'
    const by = all.find(
      (other) =>
        other.read.disables === 'level' && levels.indexOf(other.place.level) >= levels.indexOf(place.level),
    )
    if (by !== undefined) return `disableAllHooks is set in ${by.place.path}`
  }
  return trusted ? undefined : 'this folder is not trusted'
}

function textAt(
  place: HookLocation,
  { project, policyOwner = 0 }: FindHooksRequest,
  seen: Set<string>,
  diagnostics: Diagnostic[],
): string | undefined {
  const { path, level } = place
  const refuse = (code: string, message: string) => {
    diagnostics.push({ path, severity: 'error', code, message })
    return undefined
  }
  const stats = statOf(path)
  if (stats === undefined) return undefined
  if (stats === 'unreadable' || !stats.isFile()) {
    return stats === 'unreadable' || !stats.isDirectory()
      ? refuse('hooks-unreadable', 'This is not a regular file, so Cadre reads no hooks from it.')
      : undefined
  }
  if (stats.size > maxFileSize)
    return refuse(
      'file-too-large',
      `The file is ${stats.size} bytes long. A hook file can be at most ${maxFileSize} bytes long.`,
    )
  try {
    const real = realpathSync.native(path)
    // A file that is found twice counts once, with the least trusted level.
    if (seen.has(real)) return undefined
    seen.add(real)
    if (level === 'project' && !isInside(realpathSync.native(project), real))
      return refuse(
        'hooks-outside',
        'This symbolic link points outside the project, so Cadre does not follow it.',
      )
    const weakness = level === 'policy' ? weaknessOf(path, policyOwner) : undefined
    if (weakness !== undefined)
      return refuse(
        'hooks-unprotected',
        `Cadre does not run these hooks: they apply to all users, but ${weakness}.`,
      )
    return decodeText(readFileSync(path))
  } catch (error) {
    return refuse('hooks-unreadable', `Cannot read the file: ${messageOf(error)}.`)
  }
}

function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return 'unreadable'
  }
}

/**
 * Returns why someone other than the administrator could have written this file, or undefined. Unlike a policy, which can
 * only restrict, a hook is a program: a file that others can write must not run for everyone.
 */
function weaknessOf(file: string, owner: number): string | undefined {
  if (process.platform === 'win32') return undefined
  try {
    const real = realpathSync(file)
    for (const place of new Set([real, path.dirname(real), realpathSync(path.dirname(file))])) {
      const { uid, gid, mode } = statSync(place)
      if (uid !== owner) return `${place} is owned by user ${uid}`
      if ((mode & 0o002) !== 0) return `anyone can write ${place}`
      if ((mode & 0o020) !== 0 && gid !== 0) return `group ${gid} can write ${place}`
    }
    return undefined
  } catch (error) {
    return `Cadre cannot tell who can change them: ${messageOf(error)}`
  }
}
