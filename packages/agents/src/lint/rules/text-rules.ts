import { nameKey } from '@cadre/core'
import { agentNameFromPath } from '../../load/agent-name.ts'
import { type FileRule, findKey, lineOfKey } from '../subject.ts'

const maxPromptLength = 30_000
const maxDescriptionLength = 1_024

/** The host that requires a description, by dialect. */
const needDescription: { readonly [dialect: string]: string } = {
  copilot: 'Copilot CLI and github.com do not load',
  claude: 'Claude Code and Copilot CLI do not load',
}

/** True if the rule below explains a missing description better than the reader. */
export function needsDescription(dialect: string): boolean {
  return Object.hasOwn(needDescription, dialect)
}

export const descriptionRule: FileRule = (subject) => {
  const { agent } = subject.read
  if (agent === undefined) return []
  const line = lineOfKey(subject, 'description')
  const who = needDescription[subject.dialect]
  if (agent.description.trim() === '' && who !== undefined)
    return [
      {
        severity: 'warning',
        code: 'description-required',
        line,
        message: `The description is missing. ${who} the agent without one, and other agents cannot tell when to use it.`,
        fix: 'Add description: with one sentence.',
      },
    ]
  const letters = agent.description.length
  if (letters <= maxDescriptionLength) return []
  return [
    {
      severity: 'info',
      code: 'description-long',
      line,
      message: `The description has ${letters} characters. It is in the prompt of every agent that can start this one, and some hosts accept at most ${maxDescriptionLength}.`,
      fix: 'Describe in one or two sentences when to use the agent, and move examples to the instructions.',
    },
  ]
}

export const promptLengthRule: FileRule = (subject) => {
  const letters = subject.read.agent?.prompt.length ?? 0
  // github.com reads only these files.
  const isForGitHub = subject.dialect === 'copilot' && findKey(subject, 'target')?.value !== 'vscode'
  if (letters <= maxPromptLength || !isForGitHub) return []
  return [
    {
      severity: 'warning',
      code: 'prompt-long',
      line: lineOfKey(subject),
      message: `The instructions have ${letters} characters. github.com accepts at most ${maxPromptLength}.`,
      fix: 'Move parts that are rarely needed to files that the agent can read.',
    },
  ]
}

/** Checks the name: some hosts use it, others use the file name. */
export const nameMismatchRule: FileRule = (subject) => {
  const { agent } = subject.read
  if (agent === undefined) return []
  const findings = []
  const line = lineOfKey(subject, 'name', 'id', 'agentid')
  const file = agentNameFromPath(subject.path)
  if (subject.dialect === 'claude' && findKey(subject, 'name') && nameKey(agent.name) !== nameKey(file))
    findings.push({
      severity: 'info' as const,
      code: 'name-differs',
      line,
      message: `The agent is named ${JSON.stringify(agent.name)}, but its file is named ${JSON.stringify(file)}. Claude Code uses the agent name, and Copilot CLI uses the file name.`,
      fix: 'Give both the same name.',
    })
  const odd = [...new Set(agent.name.match(/[^\p{L}\p{M}\p{N} ._-]/gu) ?? [])]
  if (odd.length > 0)
    findings.push({
      severity: 'info' as const,
      code: 'name-hard-to-address',
      line,
      message: `The name contains ${odd.join(' ')}, which is not allowed in some places: Agent(…) lists, @mentions, plugin prefixes.`,
      fix: 'Use letters, digits, spaces, dots, hyphens and underscores.',
    })
  const base = subject.path.split(/[\\/]/).at(-1) ?? ''
  if (subject.dialect === 'copilot' && /[^\w.-]/.test(base))
    findings.push({
      severity: 'info' as const,
      code: 'file-name',
      line: 1,
      message: `github.com accepts only letters, digits, dots, hyphens and underscores in an agent's file name, not ${JSON.stringify(base)}.`,
      fix: 'Rename the file, and write the display name under name:.',
    })
  return findings
}
