import type { CommandFinding } from '@cadre/core'
import type { Allowlist, ListAnswer } from './allowlist.ts'
import { assessRisk } from './assess-risk.ts'
import type { FoundCommand } from './command-line.ts'
import { guardedIn } from './guards.ts'
import { listedName, programOf } from './program-name.ts'
import { isPlainReader, readers, runsCode, speakers } from './programs.ts'

export interface JudgeRequest {
  readonly command: FoundCommand
  /** Where it may run. */
  readonly folders: readonly string[]
  readonly source: string
  readonly lists: readonly Allowlist[]
  readonly shipped: Allowlist
  readonly options: {
    readonly execute: 'allow' | 'ask' | 'deny'
    readonly sandboxed: boolean
    readonly beforehand: boolean
  }
}

export interface JudgedCommand {
  readonly command: FoundCommand
  readonly finding: CommandFinding
  /** `allowlist: git status`. */
  readonly rule: string
  /** What a person may permit for the rest of the session. */
  readonly grant?: string
}

/** Judges one command alone. A list can only allow what it fits whole: its guarded options and its open words are not. */
export function judgeCommand(request: JudgeRequest): JudgedCommand {
  const { command, options } = request
  const answer = strictest(request)
  const rule = answer === undefined ? 'commands.unlisted' : `allowlist: ${answer.rule}`
  const said = (decision: CommandFinding['decision'], reason: string): JudgedCommand => {
    const canGrant = decision === 'ask' && command.open === undefined && command.globs === undefined
    return {
      command,
      finding: { words: command.words, decision, reason },
      rule,
      ...(canGrant && { grant: `command: ${command.text}` }),
    }
  }
  if (answer?.decision === 'deny') return said('deny', `forbidden by the pattern ${answer.rule}`)
  if (answer?.decision === 'ask') return said('ask', `the pattern ${answer.rule} asks for it`)
  if (command.covered) return said('allow', 'judged by what it starts')
  if (answer === undefined && options.execute !== 'allow')
    return said('ask', 'no pattern of the allowlist fits it')
  if (answer === undefined && assessRisk({ commands: [command], doubts: [], folders: ['.'] }).risk === 'HIGH')
    return said('ask', 'no pattern of the allowlist fits it, and its risk is high')
  if (answer !== undefined && !options.beforehand && options.execute !== 'allow')
    return said('ask', 'the policy forbids decisions beforehand (agentMode.autoApproval.enabled)')
  const weakness = weaknessOf(request, answer)
  if (weakness !== undefined) return said('ask', weakness)
  return said(
    'allow',
    answer === undefined ? 'allowed by effects.execute' : `allowed by the pattern ${answer.rule}`,
  )
}

/** Why a list's word does not reach this command. */
function weaknessOf(
  { command, folders, options }: JudgeRequest,
  answer: ListAnswer | undefined,
): string | undefined {
  const [name = ''] = command.words
  const program = programOf(name)
  const listed = listedName(name)
  const isSpeaker = speakers.has(listed)
  const unnamed = guardedIn(command).find(({ names }) => answer?.names?.(names) !== true)
  if (unnamed !== undefined)
    return `${unnamed.option} writes or runs something, and the pattern does not name it`
  if (command.open !== undefined && !isSpeaker)
    return `a word of it is only known when it runs: ${command.words[command.open[0] as number]}`
  const glob = command.globs?.find((at) => /^[*?[@!+]/.test(command.words[at] as string))
  if (glob !== undefined && !isSpeaker && !isPlainReader(listed))
    return `the names of files could be options: ${command.words[glob]} (write ./${command.words[glob]})`
  const [variable] = command.variables ?? []
  if (variable !== undefined && !isSpeaker && !readers.has(listed)) return `${variable} is set for it`
  if (!options.sandboxed && (runsCode(listed, program) || changesTree(command)))
    return 'it runs code or changes many files, and there is no sandbox'
  // Another repository has settings of its own, which name programs.
  if (!options.sandboxed && program === 'git' && folders.some((folder) => folder !== '.'))
    return 'it runs git in another folder, and there is no sandbox'
  return undefined
}

/** Commands of git that run hooks or write the files of another commit, wherever they are. */
function changesTree({ words }: FoundCommand): boolean {
  return (
    programOf(words[0] ?? '') === 'git' &&
    /^(?:checkout|switch|restore|reset|pull|merge|rebase|cherry-pick|revert|am|apply|stash|clean|commit|push|fetch|clone|submodule|worktree|mv|rm|read-tree|checkout-index)$/.test(
      words[1] ?? '',
    ) &&
    !(words[1] === 'stash' && /^(?:list|show)$/.test(words[2] ?? '')) &&
    !/^(?:list|status)$/.test(words[2] ?? '')
  )
}

function strictest({ command, source, lists, shipped }: JudgeRequest): ListAnswer | undefined {
  const order = { allow: 0, ask: 1, deny: 2 }
  let found: ListAnswer | undefined
  for (const list of lists) {
    const answer = list.match(command.words, source)
    if (answer !== undefined && (found === undefined || order[answer.decision] > order[found.decision]))
      found = answer
  }
  return found ?? shipped.match(command.words, source)
}
