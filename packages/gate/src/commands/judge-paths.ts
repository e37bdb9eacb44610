import path from 'node:path'
import type { PathFinding } from '@cadre/core'
import type { Decision } from './allowlist.ts'
import type { CommandLine, FoundRedirect } from './command-line.ts'
import { expandGlob } from './expand-glob.ts'
import { hasOption } from './find-danger.ts'
import type { Word } from './line/line.ts'
import type { LineRequest } from './line-request.ts'
import { programOf } from './program-name.ts'
import type { PathWord } from './programs/arguments.ts'
import { type DescribedCommand, describeCommand, isListedReader } from './programs/describe-command.ts'

const maxPaths = 2_000
const maxGlobs = 20
const tooMany: PathFinding = {
  path: '…',
  decision: 'ask',
  reason: 'the command line contains more paths than Cadre can check',
}

/** How a path is used. */
interface Use {
  /** Also true if it is unknown whether the path is written. */
  readonly writes: boolean
  /** The decision if something below it is protected. */
  readonly below: Decision
  readonly isGuess: boolean
}

const reading: Use = { writes: false, below: 'allow', isGuess: false }

/**
 * Judges every path that a line names, from every folder in which it may be used. Writing to protected places is denied;
 * paths outside the workspace need approval.
 */
export function judgePaths(line: CommandLine, request: LineRequest): readonly PathFinding[] {
  const { workspace, cwd: start, options } = request
  const { places, write: mayWrite = 'ask', sandboxed } = options
  const found = new Map<string, PathFinding>()
  const seen = new Set<string>()
  let globs = 0
  let realWorkspace: string | undefined
  for (const command of line.commands) {
    for (const folder of command.folders) {
      const at = folder === '.' ? start : joinPathSegments(start, folder)
      if (folder !== '.') add('.', at, reading)
      for (const redirect of command.redirects) addRedirect(redirect, at)
      if (command.words.length > 0) addWords(command.words, command.described, at)
    }
    if (seen.size > maxPaths || globs > maxGlobs) return [...found.values(), tooMany]
  }
  return [...found.values()]

  function addWords(words: readonly Word[], described: DescribedCommand | undefined, folder: string): void {
    const inner = described?.inner
    if (inner !== undefined) return void addWords(inner, describeCommand(inner), folder)
    const isListed = described !== undefined && described.unlisted.length === 0
    const use = isListedReader(described) ? reading : { writes: true, below: reachOf(words), isGuess: false }
    const own = described?.folder
    const at = own === undefined ? folder : joinPathSegments(folder, own)
    if (own !== undefined) add(own, folder, reading)
    // If the words of a program are not listed, every word may be a path.
    for (const { text, isGlob, isGuess } of isListed ? described.paths : guessPaths(words)) {
      if (isGlob) addGlob(text, at, use)
      else add(text, at, isGuess ? { ...use, isGuess } : use)
    }
  }

  function addRedirect({ path: written, kind }: FoundRedirect, folder: string): void {
    if (written === '/dev/null') return
    const finding = judgeOne(written, folder, { ...reading, writes: kind === 'write' })
    const isOwnFile = kind === 'write' && finding.decision === 'allow' && finding.real !== undefined
    if (!isOwnFile || mayWrite === 'allow') keep(finding)
    else keep({ ...finding, decision: mayWrite, reason: `the command writes ${written}` })
  }

  /**
   * Checks the folder of a glob and its current matches, which could be links or protected. The runner checks again at run
   * time.
   */
  function addGlob(glob: string, folder: string, use: Use): void {
    if (globs++ >= maxGlobs) return
    const first = glob.search(/[*?[]/)
    const above = judgeOne(glob.slice(0, glob.lastIndexOf('/', first) + 1) || '.', folder, use)
    keep(above)
    if (parentSegment.test(glob.slice(Math.max(first, 0))))
      return void keep({
        path: glob,
        decision: 'ask',
        reason: 'Cadre cannot tell where the path points before the command runs',
      })
    // Nothing outside the workspace is expanded.
    if (above.decision !== 'allow') return
    const { paths, isCut } = expandGlob(glob, folder, use.writes)
    for (const one of paths) add(one, folder, { ...use, isGuess: true })
    if (isCut)
      keep({ path: glob, decision: 'ask', reason: 'the pattern matches more files than Cadre can check' })
  }

  function add(written: string, folder: string, use: Use): void {
    const key = `${folder} ${use.writes} ${use.below} ${use.isGuess} ${written}`
    if (seen.has(key) || seen.size > maxPaths) return
    seen.add(key)
    const finding = judgeOne(written, folder, use)
    if (!use.isGuess || finding.decision !== 'allow') keep(finding)
  }

  function keep(finding: PathFinding): void {
    const key = `${finding.decision} ${finding.path}`
    if (!found.has(key)) found.set(key, finding)
  }

  function judgeOne(written: string, folder: string, { writes: write, below, isGuess }: Use): PathFinding {
    // `-` is included: redirects, `tee` and `ls` treat it as a file name, which may be a link.
    if (written === '/dev/null') return { path: written, decision: 'allow' }
    const whole = joinPathSegments(folder, written)
    const placed = places.judge({ path: whole, workspace, write, mounts: false, asWritten: true })
    const { real } = placed
    const said = (decision: Decision, reason?: string): PathFinding => ({
      path: written,
      ...(real !== undefined && { real }),
      decision,
      ...(reason !== undefined && { reason }),
    })
    if (placed.kind === 'protected') return said('deny', placed.reason ?? 'the path is protected')
    // A long text is not a path, unless it looks like one.
    if (placed.kind === 'invalid' && isGuess && !/^[/~]/.test(written) && !parentSegment.test(written))
      return said('allow')
    if (placed.kind !== 'inside')
      return isScratch(whole)
        ? { path: written, decision: 'allow' }
        : said('ask', placed.reason ?? 'the path is outside the workspace')
    if (below !== 'allow' && real !== undefined && isAbove(real, places.protectedIn(workspace)))
      return said(below, 'the folder contains a protected file')
    return said('allow')
  }

  /** True for the temporary folder, which is empty for every command and deleted with it. Not if the workspace is below it. */
  function isScratch(written: string): boolean {
    if (!sandboxed || !/^\/tmp\/[^./]/.test(written) || parentSegment.test(written)) return false
    realWorkspace ??= judgeOne('.', workspace, reading).real ?? workspace
    return ![workspace, start, realWorkspace].some((folder) => `${written}/`.startsWith(`${folder}/`))
  }
}

/** A `..` segment in a path. */
const parentSegment = /(?:^|\/)\.\.(?:\/|$)/

/** Not `path.join`: normalizing before links are followed would give another path. */
export function joinPathSegments(folder: string, name: string): string {
  return name.startsWith('/') ? name : `${folder}/${name}`
}

function isAbove(folder: string, protectedPaths: readonly string[]): boolean {
  const start = folder.endsWith(path.sep) ? folder : folder + path.sep
  return protectedPaths.some((item) => item.startsWith(start))
}

/** Returns the decision for folders that a program receives and that contain something protected. */
function reachOf(words: readonly Word[]): Decision {
  const [name = '', ...args] = words.map(({ text }) => text)
  const program = programOf(name)
  if (/^(?:rm|mv|rmdir|shred|srm|trash|chmod|chown|chgrp|chattr|setfacl)$/.test(program)) return 'deny'
  const takesAll =
    program === 'rsync' ||
    (program === 'cp' && (hasOption(args, 'rRa', 'recursive') || args.includes('--archive'))) ||
    (program === 'git' && /^(?:rm|mv|clean|restore|checkout)$/.test(args[0] ?? '')) ||
    (program === 'find' && args.includes('-delete'))
  return takesAll ? 'ask' : 'allow'
}

/** The whole word, the part after `=`, the value of a short option, and the part after a URL scheme. */
const pathForms = [/^(?!-)(.*)$/s, /^[^=]*=(.*)$/s, /^-[A-Za-z]+?([/~.].*)$/s, /^file:\/\/(.*)$/i]

/** Returns words, or parts of them, that may be paths. */
function guessPaths(words: readonly Word[]): readonly PathWord[] {
  return words.slice(1).flatMap(({ text, glob }): PathWord[] => {
    if (glob !== undefined) return [{ text, isGlob: true, isGuess: true }]
    const readings = pathForms.flatMap((form) => form.exec(text)?.[1] || [])
    return readings.map((one) => ({ text: one.replace(/^@/, ''), isGlob: false, isGuess: true }))
  })
}
