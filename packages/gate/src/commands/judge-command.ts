import type { CommandFinding, RuleName } from '@cadre/core'
import { type Allowlist, type AllowlistDecision, type Decision, strictnessOrder } from './allowlist.ts'
import { assessRisk } from './assess-risk.ts'
import type { FoundCommand } from './command-line.ts'
import { joinPathSegments } from './judge-paths.ts'
import type { Word } from './line/line.ts'
import type { LineRequest } from './line-request.ts'
import { nameForAllowlist } from './program-name.ts'
import { type DescribedCommand, describeCommand, isListedReader } from './programs/describe-command.ts'
import { findUnsafeGitSetting } from './programs/plain-repository.ts'

export interface JudgedCommand {
  readonly command: FoundCommand
  readonly finding: CommandFinding
  /** `allowlist: git status`. */
  readonly rule: RuleName
  /** The program only reads. Redirects are judged separately. */
  readonly readsOnly: boolean
}

type NamedCommand = Pick<FoundCommand, 'texts' | 'described'>

/** Judges a single command: the decisions of the lists, and whether all of its words are known to be harmless. */
export function judgeCommand(command: FoundCommand, request: LineRequest): JudgedCommand {
  const { texts } = command
  const named = texts[0]?.includes('/') ? nameOf(command.words, request.resolve) : command
  const { decision, reason, rule } = decide(command, named, request)
  const readsOnly = isReading(named.described, request.resolve)
  return { command, finding: { words: texts, decision, reason }, rule, readsOnly }
}

function isReading(described: DescribedCommand | undefined, resolve: LineRequest['resolve']): boolean {
  const inner = described?.inner
  return inner === undefined
    ? isListedReader(described)
    : isReading(nameOf(inner, resolve).described, resolve)
}

/** Uses the plain name if the path of a program is the one that the name resolves to. */
function nameOf(words: readonly Word[], resolve: LineRequest['resolve']): NamedCommand {
  const written = words[0]?.text ?? ''
  const plain = nameForAllowlist(written)
  const isPlain = plain !== written && resolve(plain).kind === 'outside'
  const named = isPlain ? [{ text: plain }, ...words.slice(1)] : words
  return { texts: named.map(({ text }) => text), described: describeCommand(named) }
}

type Decided = Pick<CommandFinding, 'decision' | 'reason'> & Pick<JudgedCommand, 'rule'>

function decide(command: FoundCommand, { texts, described }: NamedCommand, request: LineRequest): Decided {
  const { options, lists, source } = request
  const subject = described?.subject ?? texts
  const answer = strictest(lists, subject, source) ?? matchShippedList(lists, subject, described)
  const rule = ruleOf(answer)
  const pattern = answer?.place === undefined ? answer?.rule : `${answer.rule} (${answer.place})`
  const said = (decision: Decision, reason: string): Decided => ({ decision, reason, rule })
  if (answer?.decision === 'deny') return said('deny', `denied by the pattern ${pattern}`)
  if (answer?.decision === 'ask') return said('ask', `the pattern ${pattern} requires approval`)
  if (command.isHint === true) return said('allow', 'the decision on the command that runs this one applies')
  // `timeout 60 npm test` is judged like `npm test`.
  if (described?.inner !== undefined && answer === undefined)
    return decide(command, nameOf(described.inner, request.resolve), request)
  const first = described?.unlisted[0]
  if (answer === undefined && options.execute !== 'allow')
    return said(
      'ask',
      first === undefined ? 'no rule allows this command' : `${first.word} is not on the read-only list`,
    )
  if (answer === undefined && isRisky(command))
    return said('ask', 'no rule names this command, and its risk is high')
  if (answer !== undefined && !options.beforehand && options.execute !== 'allow')
    return said('ask', 'the policy does not allow automatic approval (agentMode.autoApproval.enabled)')
  const weakness = weaknessOf(command, texts[0] ?? '', described, answer, request)
  if (weakness !== undefined) return said('ask', weakness)
  return said(
    'allow',
    answer === undefined ? 'allowed by effects.execute' : `allowed by the pattern ${pattern}`,
  )
}

function ruleOf(answer: AllowlistDecision | undefined): RuleName {
  if (answer === undefined) return 'commands.unlisted'
  return answer.place === undefined ? `allowlist: ${answer.rule}` : `permissions: ${answer.rule}`
}

function isRisky(command: FoundCommand): boolean {
  return assessRisk({ commands: [command], plan: [] }).risk === 'HIGH'
}

/** Returns why a rule that allows the command does not apply to it. */
function weaknessOf(
  command: FoundCommand,
  name: string,
  described: DescribedCommand | undefined,
  answer: AllowlistDecision | undefined,
  request: LineRequest,
): string | undefined {
  const { options } = request
  const unnamed = described?.unlisted.find(({ names }) => answer?.names?.(names) !== true)
  if (unnamed !== undefined)
    return `${unnamed.word} is not on the read-only list, and the rule does not name it`
  const program = isRunnerBuiltin(name) ? undefined : request.resolve(name)
  // A pattern that matches a path names the program; `effects.execute` does not.
  if (program?.kind === 'inside' && (answer === undefined || !name.includes('/')))
    return 'the program is in the workspace, and no rule names it'
  // If no rule names the command, its risk was checked earlier.
  const isOwnExecute = options.isOwnExecute === true && (answer === undefined || !isRisky(command))
  if (isOwnExecute || answer?.own === true) return undefined
  const setting =
    name === 'git' && described?.isReader ? settingIn(command, described, request.cwd) : undefined
  if (setting !== undefined) return `the repository has a setting that can start a program: ${setting}`
  if (options.sandboxed) return undefined
  const isReading = answer?.isShipped === true && described?.isReader === true && !described.needsSandbox
  if (!isReading) return 'there is no sandbox, so only your own rules can allow this command'
  // Another repository has its own settings, which can start programs.
  const isElsewhere =
    name === 'git' &&
    (described.folder !== undefined ||
      command.folders.some((folder) => folder !== '.') ||
      startsElsewhere(request))
  return isElsewhere ? 'the command runs git in another folder, and there is no sandbox' : undefined
}

function startsElsewhere({ cwd, workspace, options: { places } }: LineRequest): boolean {
  if (cwd === workspace) return false
  return cwd !== places.judge({ path: '.', workspace, write: false, mounts: false }).real
}

function settingIn(
  { folders }: FoundCommand,
  { folder = '.' }: DescribedCommand,
  cwd: string,
): string | undefined {
  for (const one of folders) {
    const found = findUnsafeGitSetting(joinPathSegments(joinPathSegments(cwd, one), folder))
    if (found !== undefined) return found
  }
  return undefined
}

/** True if the runner implements it. */
function isRunnerBuiltin(name: string): boolean {
  return /^(?:cd|pwd|echo|true|false|:|command|export|exit)$/.test(name)
}

function strictest(
  lists: readonly Allowlist[],
  words: readonly string[],
  source: string,
): AllowlistDecision | undefined {
  let found: AllowlistDecision | undefined
  for (const list of lists) {
    const answer = list.match(words, source)
    if (answer === undefined) continue
    const difference =
      strictnessOrder[answer.decision] - (found === undefined ? -1 : strictnessOrder[found.decision])
    // If two rules allow it, the user's own applies.
    if (difference > 0 || (difference === 0 && answer.own === true)) found = answer
  }
  return found
}

/** The shipped list is the table of read-only programs, without entries that a list disables. */
function matchShippedList(
  lists: readonly Allowlist[],
  words: readonly string[],
  described: DescribedCommand | undefined,
): AllowlistDecision | undefined {
  if (!isListedReader(described)) return undefined
  const isUnset = lists.some(({ unset = [] }) =>
    unset.some((pattern) => pattern.split(/\s+/).every((word, at) => word === words[at] || word === '*')),
  )
  if (isUnset) return undefined
  const rule = words[0] === 'git' ? words.slice(0, 2).join(' ') : (words[0] as string)
  return { decision: 'allow', rule, isShipped: true }
}
