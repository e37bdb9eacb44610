import { statSync } from 'node:fs'
import path from 'node:path'
import {
  type Finding,
  findLintFiles,
  type HostName,
  hosts,
  type LintedFile,
  type LintResult,
} from '@cadre/agents'
import { CadreError, didYouMean } from '@cadre/core'
import {
  homeOf,
  type LintTargets,
  lintKnowledge,
  lintTargets,
  loadPolicyForDisplay,
  projectOf,
  userPaths,
} from '@cadre/runtime'
import { type ExitCode, exitCodes } from '../../exit-codes.ts'
import type { Io } from '../../io.ts'
import { cleanLine } from '../../output/clean-text.ts'
import { formatLintReport } from '../../output/format-lint-report.ts'
import { createStyle, shouldUseColour } from '../../output/style.ts'
import { availableWidth } from '../../output/text-table.ts'
import type { FixedFile } from './fix-files.ts'

export interface LintFlags {
  readonly fix?: boolean
  readonly dryRun?: boolean
  readonly host?: string
  readonly strict?: boolean
  readonly quiet?: boolean
  readonly level?: Severity
  readonly home?: string
  readonly json?: boolean
}

type Severity = Finding['severity']

/** `cadre lint`. */
export async function lintAgents(io: Io, flags: LintFlags, ...paths: readonly string[]): Promise<ExitCode> {
  if (flags.dryRun && !flags.fix) throw new CadreError('usage', '--dry-run requires --fix.')
  if (flags.quiet && flags.level !== undefined)
    throw new CadreError('usage', '--quiet and --level cannot be combined: --quiet means --level error.')
  const wanted = flags.host === undefined ? undefined : hostsNamed(flags.host)
  const targets = targetsOf(io, paths)
  const tell = (message: string) => void io.stderr.write(`cadre: ${cleanLine(message)}\n`)
  const home = homeOf(io, flags.home)
  for (const fault of (await loadPolicyForDisplay(io, home, false)).faults) tell(fault)
  const knowledge = await lintKnowledge(io, home, tell)
  const fixed = flags.fix ? await fix(io, targets, flags.dryRun === true) : []
  const options = { cwd: io.cwd, knowledge, ...(wanted && { hosts: wanted }) }
  const result = await lintTargets(targets, options, userPaths(io.env).home)
  for (const folder of result.endless)
    tell(`${folder} contains too many files, so lint did not check all of them. Specify a smaller folder.`)
  if (flags.json) io.stdout.write(`${JSON.stringify(toJson(result, fixed))}\n`)
  else {
    const style = createStyle(shouldUseColour(io.stdout, io.env))
    const level = flags.quiet ? 'error' : (flags.level ?? 'warning')
    const shown = { level, only: wanted, columns: availableWidth(io.stdout) }
    io.stdout.write(formatLintReport({ result, fixed, style, dryRun: flags.dryRun === true, ...shown }))
  }
  return passes(result, flags.strict === true, wanted) ? exitCodes.done : exitCodes.failed
}

/** Host problems count only for requested hosts, because no file suits all of them. */
function passes({ files, summary }: LintResult, strict: boolean, asked: readonly HostName[] = []): boolean {
  if (summary.errors > 0 || (strict && summary.warnings > 0)) return false
  const effects = files.flatMap((file) => asked.flatMap((host) => file.hosts?.[host] ?? []))
  return effects.every(({ effect }) => effect !== 'rejects')
}

function targetsOf(io: Io, paths: readonly string[]): LintTargets {
  const folders: string[] = []
  const files: string[] = []
  if (paths.length === 0) folders.push(projectOf(io.cwd))
  for (const given of paths) {
    const at = path.resolve(io.cwd, given)
    const stats = statSync(at, { throwIfNoEntry: false })
    if (stats === undefined)
      throw new CadreError(
        'usage',
        `${at} does not exist. Specify an existing file or folder, or omit the path to check the whole project.`,
      )
    if (stats.isDirectory()) folders.push(at)
    else if (stats.isFile()) files.push(at)
    else throw new CadreError('usage', `${JSON.stringify(given)} is neither a file nor a folder.`)
  }
  return { folders: [...new Set(folders)], files: [...new Set(files)] }
}

function hostsNamed(given: string): HostName[] {
  const known = hosts.map(({ name }) => name)
  return given.split(',').map((part) => {
    const name = known.find((one) => one === part.trim().toLowerCase())
    if (name !== undefined) return name
    const hint = didYouMean(part.trim(), known) || `. Known hosts: ${known.join(', ')}.`
    throw new CadreError('usage', `unknown host ${JSON.stringify(part.trim())}${hint}`)
  })
}

async function fix(io: Io, { folders, files }: LintTargets, dryRun: boolean): Promise<FixedFile[]> {
  const { fixFiles } = await import('./fix-files.ts')
  const below = folders.flatMap((folder) =>
    findLintFiles(folder).files.map((file) => ({ file, within: folder })),
  )
  const named = files.map((file) => ({ file, within: path.dirname(file) }))
  const each = new Map([...below, ...named].map((one) => [one.file, one]))
  return fixFiles({ files: [...each.values()], cwd: io.cwd, dryRun })
}

function toJson({ files, summary }: LintResult, fixed: readonly FixedFile[]): object {
  const changes = new Map(fixed.map(({ path: at, ...change }) => [at, change]))
  const withFix = (file: LintedFile) =>
    changes.has(file.path) ? { ...file, fix: changes.get(file.path) } : file
  return { files: files.map(withFix), summary }
}
