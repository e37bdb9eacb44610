import path from 'node:path'
import type { PathFinding } from '@cadre/core'
import type { CommandLine, FoundCommand, FoundRedirect } from './command-line.ts'
import { expandGlob } from './expand-glob.ts'
import { hasOption } from './find-danger.ts'
import { programOf } from './program-name.ts'
import type { PathWord } from './programs/arguments.ts'
import { describeCommand } from './programs/describe-command.ts'
import { writers } from './programs/known-programs.ts'

/** What is asked about a path. The part of `Places` that commands need. */
export interface PathJudge {
  judge(request: {
    readonly path: string
    readonly workspace: string
    readonly write: boolean
    /** Commands see the folder as the system does. */
    readonly mounts: false
    readonly asWritten?: true
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
  /** The folder in which the line starts. */
  readonly start: string
  /** What applies to files of the workspace that a redirect writes. */
  readonly write: 'allow' | 'ask' | 'deny'
  readonly sandboxed: boolean
}

const mostPaths = 2_000
const mostGlobs = 20
const tooMany: PathFinding = {
  path: '…',
  decision: 'ask',
  reason: 'the line names more paths than can be checked',
}

/**
 * Every path that a line names, judged from every folder in which it may be used. Protected places are denied to whatever
 * could write; outside of the workspace a person is asked.
 */
export function judgePaths(request: PathRequest): readonly PathFinding[] {
  return new PathsJudge(request).judge()
}

/** What a path is used for. `may`: nobody knows whether it is written. `below`: what applies where something below it is protected. */
interface Use {
  readonly kind: 'read' | 'write' | 'may'
  readonly below: 'free' | 'ask' | 'deny'
  readonly isGuess: boolean
}

const reading: Use = { kind: 'read', below: 'free', isGuess: false }

class PathsJudge {
  readonly #request: PathRequest
  readonly #found = new Map<string, PathFinding>()
  readonly #seen = new Set<string>()
  #globs = 0
  /** The workspace without links. */
  #real: string | undefined

  constructor(request: PathRequest) {
    this.#request = request
  }

  judge(): readonly PathFinding[] {
    for (const command of this.#request.line.commands) {
      for (const folder of command.folders) {
        const at = this.#within(folder)
        if (folder !== '.') this.#add('.', at, reading)
        for (const redirect of command.redirects) this.#redirect(redirect, at)
        this.#words(command, at)
      }
      if (this.#seen.size > mostPaths || this.#globs > mostGlobs) return [...this.#found.values(), tooMany]
    }
    return [...this.#found.values()]
  }

  /** Joined by hand: what is tidied up before links are followed is another path. */
  #within(folder: string): string {
    if (folder.startsWith('/')) return folder
    return folder === '.' ? this.#request.start : `${this.#request.start}/${folder}`
  }

  #words(command: FoundCommand, folder: string): void {
    const described = describeCommand(command.words)
    const use = useOf(command, described?.isReader === true && described.unlisted.length === 0)
    const inner = described?.inner
    if (inner !== undefined) return void this.#words({ ...command, words: inner }, folder)
    const at = described?.folder === undefined ? folder : this.#join(folder, described.folder)
    if (described?.folder !== undefined) this.#add(described.folder, folder, reading)
    // Of a program whose words are not listed every word may be a path.
    const paths =
      described === undefined || described.unlisted.length > 0 ? guessed(command) : described.paths
    for (const { text, isGlob, isGuess } of paths) {
      if (isGlob) this.#addGlob(text, at, use)
      else this.#add(text, at, { ...use, isGuess })
    }
  }

  #join(folder: string, name: string): string {
    return name.startsWith('/') ? name : `${folder}/${name}`
  }

  #redirect({ path: written, kind }: FoundRedirect, folder: string): void {
    if (written === '/dev/null') return
    const { write } = this.#request
    const finding = this.#judgeOne(written, folder, { ...reading, kind })
    const isOwnFile = kind === 'write' && finding.decision === 'allow' && finding.real !== undefined
    this.#keep(
      isOwnFile && write !== 'allow'
        ? { ...finding, decision: write, reason: `it writes ${written}` }
        : finding,
    )
  }

  /** The folder of a glob, and what matches now and could be a link or protected. The runner looks again when it runs. */
  #addGlob(glob: string, folder: string, use: Use): void {
    if (this.#globs++ >= mostGlobs) return
    const start = glob.search(/[*?[]/)
    const fixed = glob.slice(0, glob.lastIndexOf('/', start) + 1) || '.'
    const above = this.#judgeOne(fixed, folder, use)
    this.#keep(above)
    if (/(?:^|\/)\.\.(?:\/|$)/.test(glob.slice(Math.max(start, 0))))
      return void this.#keep({
        path: glob,
        decision: 'ask',
        reason: 'where it leads is only known when it runs',
      })
    // Nothing is looked up outside.
    if (above.decision !== 'allow') return
    const { paths, isCut } = expandGlob(glob, folder, use.kind !== 'read')
    for (const one of paths) this.#add(one, folder, { ...use, isGuess: true })
    if (isCut) this.#keep({ path: glob, decision: 'ask', reason: 'more files match it than can be checked' })
  }

  #add(written: string, folder: string, use: Use): void {
    const key = `${folder} ${use.kind} ${use.below} ${use.isGuess} ${written}`
    if (this.#seen.has(key) || this.#seen.size > mostPaths) return
    this.#seen.add(key)
    const finding = this.#judgeOne(written, folder, use)
    if (!use.isGuess || finding.decision !== 'allow') this.#keep(finding)
  }

  #keep(finding: PathFinding): void {
    const key = `${finding.decision} ${finding.path}`
    if (!this.#found.has(key)) this.#found.set(key, finding)
  }

  /** Empty for every command, and gone with it; not where the workspace itself is below it, with links that lead elsewhere. */
  #isScratch(written: string): boolean {
    if (!this.#request.sandboxed || !/^\/tmp\/[^./]/.test(written)) return false
    if (/(?:^|\/)\.\.(?:\/|$)/.test(written)) return false
    const { workspace, start } = this.#request
    this.#real ??= this.#judgeOne('.', workspace, reading).real ?? workspace
    return ![workspace, start, this.#real].some((folder) => `${written}/`.startsWith(`${folder}/`))
  }

  #judgeOne(written: string, folder: string, { kind, below, isGuess }: Use): PathFinding {
    // `-` is not left out: a redirect, `tee` and `ls` take it for the name of a file, which may be a link.
    if (written === '/dev/null') return { path: written, decision: 'allow' }
    const { places, workspace } = this.#request
    const write = kind !== 'read'
    const placed = places.judge({
      path: this.#join(folder, written),
      workspace,
      write,
      mounts: false,
      asWritten: true,
    })
    const real = placed.real === undefined ? {} : { real: placed.real }
    const found = (decision: PathFinding['decision'], reason?: string): PathFinding => ({
      path: written,
      ...real,
      decision,
      ...(reason !== undefined && { reason }),
    })
    if (placed.kind === 'protected') return found('deny', placed.reason ?? 'it is protected')
    // A long text is no path, unless it says that it is one.
    if (placed.kind === 'invalid' && isGuess && !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(written))
      return found('allow')
    if (placed.kind !== 'inside')
      return this.#isScratch(this.#join(folder, written))
        ? { path: written, decision: 'allow' }
        : found('ask', placed.reason ?? 'it is outside of the workspace')
    if (below !== 'free' && placed.real !== undefined && isAbove(placed.real, places.protectedIn(workspace)))
      return found(below, 'something below it is protected')
    return found('allow')
  }
}

function isAbove(folder: string, protectedPaths: readonly string[]): boolean {
  const start = folder.endsWith(path.sep) ? folder : folder + path.sep
  return protectedPaths.some((item) => item.startsWith(start))
}

function useOf({ words }: FoundCommand, isReader: boolean): Use {
  const [name = '', ...args] = words.map(({ text }) => text)
  const program = programOf(name)
  const kind = isReader ? 'read' : writers.has(program) ? 'write' : 'may'
  return { kind, below: reachOf(program, args), isGuess: false }
}

function reachOf(program: string, args: readonly string[]): Use['below'] {
  if (/^(?:rm|mv|rmdir|shred|srm|trash|chmod|chown|chgrp|chattr|setfacl)$/.test(program)) return 'deny'
  if (program === 'cp')
    return hasOption(args, 'rRa', 'recursive') || args.includes('--archive') ? 'ask' : 'free'
  if (program === 'git') return /^(?:rm|mv|clean|restore|checkout)$/.test(args[0] ?? '') ? 'ask' : 'free'
  return program === 'rsync' || (program === 'find' && args.includes('-delete')) ? 'ask' : 'free'
}

/** Words that may be paths, also behind `=`, behind a scheme, and attached to a short option. */
function guessed({ words }: FoundCommand): readonly PathWord[] {
  return words.slice(1).flatMap(({ text, glob }): PathWord[] => {
    if (glob !== undefined) return [{ text, isGlob: true, isGuess: true }]
    const value = text.slice(text.indexOf('=') + 1)
    const attached = /^-[A-Za-z]+?([/~.].*)$/s.exec(text)?.[1]
    const file = /^file:\/\/(.*)$/i.exec(text)?.[1]
    const readings = [
      text.startsWith('-') ? '' : text,
      value === text ? '' : value,
      attached ?? '',
      file ?? '',
    ]
    return readings
      .filter((one) => one !== '')
      .map((one) => ({ text: one.replace(/^@/, ''), isGlob: false, isGuess: true }))
  })
}
