import path from 'node:path'
import type { PathFinding } from '@cadre/core'
import type { CommandLine, FoundCommand } from './command-line.ts'
import { expandGlob } from './expand-glob.ts'
import { hasOption } from './find-danger.ts'
import { operandsOf } from './operands-of.ts'
import { listedName, programOf } from './program-name.ts'
import { readers, speakers, writers } from './programs.ts'

/** What is asked about a path. The part of `Places` that commands need. */
export interface PathJudge {
  judge(request: {
    readonly path: string
    readonly workspace: string
    readonly write: boolean
    /** Commands see the folder as the system does. */
    readonly mounts: false
  }): {
    readonly kind: 'inside' | 'outside' | 'protected' | 'invalid'
    readonly real?: string
    readonly reason?: string
  }
  protectedIn(workspace: string): readonly string[]
}

export interface PathRequest {
  readonly line: CommandLine
  readonly places: PathJudge
  readonly workspace: string
  /** What holds for files that a redirect would write in the workspace. */
  readonly write: 'allow' | 'ask' | 'deny'
}

const devices = /^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|fd\/\d+)$/

/**
 * Every path that a line names, judged from every folder in which it may run. Protected places are denied to whatever
 * could write; outside of the workspace a person is asked.
 */
export function judgePaths(request: PathRequest): readonly PathFinding[] {
  const found = new Map<string, PathFinding>()
  const seen = new Set<string>()
  const { line } = request
  let globs = 0
  for (const folder of line.folders) {
    if (folder !== '.') add(judgeOne(request, '.', folder, 'read', 'free'))
    for (const command of line.commands) {
      for (const { path: written, kind, isGlob } of command.redirects) {
        if (isGlob) addGlob(written, { request, folder, kind, below: 'free' })
        else if (isNew(`${folder} ${kind} > ${written}`)) add(judgeRedirect(request, written, folder, kind))
      }
      addOperands(command, folder)
    }
  }
  if (seen.size > mostPaths || globs > mostGlobs) add(tooMany)
  return [...found.values()]

  function addOperands(command: FoundCommand, folder: string): void {
    const [name] = command.words
    if (name === undefined || seen.size > mostPaths) return
    // What is said is no path, but the names that fit a glob are looked up.
    const isSpeaker = speakers.has(listedName(name))
    const kind = isSpeaker ? 'read' : kindOf(command)
    const below = reachOf(command)
    for (const { value, isGlob, isGuess } of operandsOf(command)) {
      if (isGlob) addGlob(value, { request, folder, kind, below })
      else if (!isSpeaker && isNew(`${folder} ${kind} ${below} ${value} ${isGuess}`)) {
        const finding = judgeOne(request, value, folder, kind, below)
        if (!isGuess || finding?.decision !== 'allow') add(finding)
      }
    }
  }

  function addGlob(glob: string, asked: GlobRequest): void {
    if (!isNew(`${asked.folder} ${asked.kind} ${asked.below} * ${glob}`) || globs++ >= mostGlobs) return
    for (const finding of judgeGlob(glob, asked)) add(finding)
  }

  /** Each look at the disk is done once, and only so many of them. */
  function isNew(key: string): boolean {
    if (seen.has(key) || seen.size > mostPaths) return false
    seen.add(key)
    return seen.size <= mostPaths
  }

  function add(finding: PathFinding | undefined): void {
    if (finding === undefined) return
    const key = `${finding.decision} ${finding.path}`
    if (!found.has(key)) found.set(key, finding)
  }
}

const mostPaths = 2_000
const mostGlobs = 20
const tooMany: PathFinding = {
  path: '…',
  decision: 'ask',
  reason: 'the line names more paths than can be looked at',
}

interface GlobRequest {
  readonly request: PathRequest
  readonly folder: string
  readonly kind: 'read' | 'write' | 'may'
  readonly below: Below
}

/** The folder of a glob, and what fits it now and could be a link or protected. */
function judgeGlob(glob: string, { request, folder, kind, below }: GlobRequest): (PathFinding | undefined)[] {
  const fixed = fixedPart(glob)
  const found = [judgeOne(request, fixed, folder, kind, below)]
  const rest = glob.slice(glob.search(wildcard))
  if (/(?:^|\/)\.\.(?:\/|$)/.test(rest)) {
    found.push({ path: glob, decision: 'ask', reason: 'where it leads is only known when it runs' })
    return found
  }
  // Of what is outside nothing is looked up.
  if (found[0]?.decision !== 'allow') return found
  const { paths, isCut } = expandGlob(glob, path.resolve(request.workspace, folder), kind !== 'read')
  for (const one of paths) {
    const finding = judgeOne(request, one, folder, kind, below)
    if (finding?.decision !== 'allow') found.push(finding)
  }
  if (isCut && kind !== 'read')
    found.push({ path: glob, decision: 'ask', reason: 'more files fit it than can be looked at' })
  return found
}

const wildcard = /[*?[{]|[!@+]\(/

function fixedPart(glob: string): string {
  const at = glob.search(wildcard)
  const before = at < 0 ? glob : glob.slice(0, at)
  return before.slice(0, before.lastIndexOf('/') + 1) || '.'
}

/** What holds for a folder in which something is protected: `free` where nothing below it is changed. */
type Below = 'free' | 'ask' | 'deny'

function reachOf({ words }: FoundCommand): Below {
  const program = programOf(words[0] ?? '')
  if (/^(?:rm|mv|rmdir|shred|srm|trash|chmod|chown|chgrp|chattr|setfacl)$/.test(program)) return 'deny'
  if (program === 'cp')
    return hasOption(words.slice(1), 'rRa', 'recursive') || hasOption(words.slice(1), '', 'archive')
      ? 'ask'
      : 'free'
  if (program === 'git') return /^(?:rm|mv|clean|restore|checkout)$/.test(words[1] ?? '') ? 'ask' : 'free'
  const reaches = program === 'rsync' || (program === 'find' && words.includes('-delete'))
  return reaches ? 'ask' : 'free'
}

/** `may`: nobody knows whether it writes. */
function kindOf(command: FoundCommand): 'read' | 'write' | 'may' {
  const program = programOf(command.words[0] ?? '')
  if (program === 'git') return gitKind(command.words[1] ?? '')
  if (writers.has(program) || (program === 'find' && command.words.includes('-delete'))) return 'write'
  const isChanging = /^g?sed$/.test(program) && command.words.some((word) => /^-[a-zA-Z]*i|^--in/.test(word))
  return readers.has(listedName(command.words[0] ?? '')) && !isChanging ? 'read' : 'may'
}

function gitKind(sub: string): 'read' | 'write' | 'may' {
  if (/^(?:rm|mv|clean|restore|checkout|apply|am)$/.test(sub)) return 'write'
  return /^(?:status|log|diff|show|blame|ls-files|ls-tree|cat-file|grep|rev-parse|rev-list|add|commit|check-ignore|describe|shortlog)$/.test(
    sub,
  )
    ? 'read'
    : 'may'
}

function judgeRedirect(
  request: PathRequest,
  written: string,
  folder: string,
  kind: 'read' | 'write',
): PathFinding | undefined {
  if (devices.test(written)) return undefined
  const finding = judgeOne(request, written, folder, kind, 'free')
  if (kind === 'read' || finding?.decision !== 'allow' || request.write === 'allow') return finding
  return { ...finding, decision: request.write, reason: `it writes ${written}` }
}

function judgeOne(
  request: PathRequest,
  written: string,
  folder: string,
  kind: 'read' | 'write' | 'may',
  below: Below,
): PathFinding | undefined {
  if (devices.test(written)) return undefined
  if (/^~|^\$(?:HOME|\{HOME)/.test(written))
    return { path: written, decision: 'ask', reason: 'it leads to a home, outside of the workspace' }
  const { places, workspace } = request
  const whole = path.isAbsolute(written) ? written : path.join(folder, written)
  const write = kind !== 'read'
  const placed = places.judge({ path: whole, workspace, write, mounts: false })
  const real = placed.real === undefined ? {} : { real: placed.real }
  if (placed.kind === 'protected' && write)
    return { path: written, ...real, decision: 'deny', reason: placed.reason ?? 'it is protected' }
  if (placed.kind === 'outside' || placed.kind === 'invalid')
    return {
      path: written,
      ...real,
      decision: 'ask',
      reason: placed.reason ?? 'it is outside of the workspace',
    }
  if (below !== 'free' && placed.real !== undefined && isAbove(placed.real, places.protectedIn(workspace)))
    return { path: written, ...real, decision: below, reason: 'something below it is protected' }
  return { path: written, ...real, decision: 'allow' }
}

function isAbove(folder: string, protectedPaths: readonly string[]): boolean {
  const start = folder.endsWith(path.sep) ? folder : folder + path.sep
  return protectedPaths.some((item) => item.startsWith(start))
}
