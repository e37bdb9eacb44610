import { type CommandFinding, isObject, type PathFinding, type Rule, type Verdict } from '@cadre/core'
import { pathRules } from '../paths/path-resolver.ts'
import { withLookupCache } from '../paths/with-lookup-cache.ts'
import { assessRisk } from './assess-risk.ts'
import type { CommandLine, FoundRedirect } from './command-line.ts'
import { filesRunByLine } from './files-run-by-line.ts'
import { formatWords } from './format-words.ts'
import { grantOf } from './grant-of.ts'
import { interpretLine } from './interpret-line.ts'
import { type JudgedCommand, judgeCommand } from './judge-command.ts'
import { judgePaths } from './judge-paths.ts'
import { type List, type Stage, stepsIn } from './line/line.ts'
import type { CommandRuleOptions, LineRequest } from './line-request.ts'
import { resolveProgram } from './resolve-program.ts'

/** Judges the line of every tool that runs commands: each command in it, each path, and the whole line. */
export function createCommandRule(options: CommandRuleOptions): Rule {
  return {
    by: 'policy',
    name: 'commands',
    immediate: true,
    judge({ tool, input }, { workspace }) {
      if (tool.commands === undefined || !isObject(input)) return undefined
      const { command, cwd } = input
      // A call without a command line is not judged by this rule.
      if (typeof command !== 'string') return undefined
      if (typeof cwd !== 'string' || cwd === '') return judgeLine(command, workspace, options)
      return judgeIn(cwd, command, workspace, options)
    },
  }
}

/** Judges a line with its own working folder, which must be in the workspace. Paths are relative to that folder. */
function judgeIn(cwd: string, source: string, workspace: string, options: CommandRuleOptions): Verdict {
  const placed = options.places.judge({ path: cwd, workspace, write: false, mounts: false })
  const { kind, real, reason = `${cwd} is outside the workspace` } = placed
  if (kind === 'inside' && real !== undefined) return judgeLine(source, workspace, options, real)
  const paths = [{ path: cwd, decision: 'deny' as const, reason }]
  return { kind: 'deny', by: 'policy', rule: pathRules[kind === 'inside' ? 'outside' : kind], reason, paths }
}

/** Returns the verdict about a line that starts in `cwd`. Runs nothing, so it can also explain a decision. */
export function judgeLine(...line: Parameters<typeof verdictOf>): Verdict {
  return withLookupCache(() => verdictOf(...line))
}

function verdictOf(source: string, workspace: string, options: CommandRuleOptions, cwd = workspace): Verdict {
  const line = interpretLine(source)
  const search = { path: options.searchPath ?? '', excluded: [workspace, ...(options.excluded ?? [])] }
  const resolve = (name: string) => resolveProgram(name, cwd, search)
  const request: LineRequest = { source, workspace, cwd, options, lists: options.allowlists(), resolve }
  const judged: JudgedCommand[] = []
  for (const command of line.commands)
    if (command.words.length > 0) judged.push(judgeCommand(command, request))
  const paths = judgePaths(line, request)
  const { risk, reasons: found } = assessRisk(line)
  const reasons = options.sandboxed ? found : [...found, withoutSandbox]
  const commands: CommandFinding[] = []
  for (const { command, finding } of judged)
    if (command.isHint !== true || finding.decision !== 'allow') commands.push(finding)
  const findings = { by: 'policy' as const, risk, reasons, commands, ...(paths.length > 0 && { paths }) }
  const denied = firstDenial(line, judged, paths, options)
  if (denied !== undefined) return { ...findings, kind: 'deny', ...denied }
  const asked = () => ({ ...findings, kind: 'ask' as const, ...filesRunByLine(line, request) })
  if (line.plan === undefined)
    return {
      ...asked(),
      rule: 'commands.shell',
      reason: `no rule can allow this command line, because it needs a shell: ${line.why}`,
    }
  const askedPath = paths.find(({ decision }) => decision === 'ask')
  if (askedPath !== undefined) return { ...asked(), rule: 'commands.paths', reason: reasonOf(askedPath) }
  const asking = judged.filter(({ finding }) => finding.decision === 'ask')
  const first = asking[0]
  if (first === undefined)
    return {
      ...findings,
      kind: 'allow',
      rule: judged[0]?.rule ?? 'commands.nothing',
      ...(readsOnly(line, judged) && { readsOnly: true }),
      ...(judged.length === 0 && { reason: 'the command runs no program' }),
    }
  const fed = isFed(line.plan) ? source : undefined
  const grants = asking.map(({ command }) => grantOf(command, request, fed))
  return {
    ...asked(),
    rule: first.rule,
    reason: commandReason(first),
    ...(options.beforehand && { grants: [...new Set(grants)] }),
  }
}

/** True if every program of an allowed line is a known reader, and no redirect writes a file. */
function readsOnly(line: CommandLine, judged: readonly JudgedCommand[]): boolean {
  const isWritten = ({ kind, path }: FoundRedirect) => kind === 'write' && path !== '/dev/null'
  return (
    judged.every(({ command, readsOnly: reads }) => command.isHint === true || reads) &&
    !line.commands.some(({ redirects }) => redirects.some(isWritten))
  )
}

/** True if a program reads the output of another one, or a here-document. */
function isFed(list: List): boolean {
  const readsText = ({ redirects }: Stage) => redirects.some(({ kind }) => kind === 'text')
  return stepsIn(list).some(({ stages }) => stages.length > 1 || stages.some(readsText))
}

const withoutSandbox =
  'No sandbox: the command can read and change everything that your user account can. A process that it leaves running could approve calls, forge files in tasks, inbox, mailboxes and memory, and read the environment of other processes.'

function firstDenial(
  line: CommandLine,
  judged: readonly JudgedCommand[],
  paths: readonly PathFinding[],
  options: CommandRuleOptions,
): CommandLine['refused'] {
  const { refused } = line
  if (refused !== undefined)
    return { rule: refused.rule, reason: `no rule can allow this command line: ${refused.reason}` }
  const command = judged.find(({ finding }) => finding.decision === 'deny')
  if (command !== undefined) return { rule: command.rule, reason: commandReason(command) }
  const path = paths.find(({ decision }) => decision === 'deny')
  if (path !== undefined) return { rule: 'commands.paths', reason: reasonOf(path) }
  if (options.execute !== 'deny') return undefined
  const where = options.decidedBy ?? 'the policy'
  const reason = `the policy denies running commands: effects.execute is deny (${where})`
  return { rule: 'effects.execute', reason }
}

function commandReason({ command, finding }: JudgedCommand): string {
  return `${formatWords(command.texts)}: ${finding.reason}`
}

/** Most reasons begin with the path themselves. */
function reasonOf({ path, reason = 'the path is protected' }: PathFinding): string {
  return reason.includes(path) ? reason : `${path}: ${reason}`
}
