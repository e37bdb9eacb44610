import type { AgentDefinition } from '../ports/agent.ts'
import type { MemberRequest, TeamRequest } from '../tree/team-tools.ts'

/** Names are shown whole: a model has to be able to write them. */
const longestName = 200

/**
 * The system prompt of a session. An agent that may delegate gets the list of its targets at the end; one that may not
 * gets its prompt unchanged.
 */
export function systemPrompt(
  agent: AgentDefinition,
  targets: readonly AgentDefinition[],
  tool: string | undefined,
): string {
  if (targets.length === 0 || tool === undefined) return agent.prompt
  const names = targets.map((target) => oneLine(target.name, longestName))
  const bullets = targets.map(
    (target) =>
      `- **${oneLine(target.name, longestName)}**: ${oneLine(target.useFor ?? target.description, 500)}`,
  )
  const section = [
    '## Available Agents for Delegation',
    '',
    `You can delegate work to the following agents using the ${tool} tool:`,
    '',
    ...bullets,
    '',
    `When using the ${tool} tool, use one of these agent names: ${names.map(listed).join(', ')}`,
  ].join('\n')
  return agent.prompt.trim() === '' ? section : `${agent.prompt.trimEnd()}\n\n${section}`
}

/** A name in a list with commas. */
function listed(name: string): string {
  return name.includes(',') ? JSON.stringify(name) : name
}

/**
 * Text from a file, made safe to stand in the middle of a prompt: on one line it cannot pose as a heading, a list item
 * or a new section, and it cannot hide anything from a person who reads along.
 */
export function oneLine(text: string, most: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('**', '')
    .trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

/** What a delegated session that must report is given to do. */
export function delegatedWork(work: string, expectations: string): string {
  return [
    '## Work',
    '',
    work,
    '',
    '## Report expectations',
    '',
    expectations,
    '',
    'When the work is done, call the reportOut tool with your report. Only what you report reaches the agent that delegated this.',
  ].join('\n')
}

/** The first thing a teammate is told: what it begins with, who it is, and who the others are. */
export function teammateWork(
  { name, initialPrompt }: MemberRequest,
  { name: team, description, members }: TeamRequest,
  lead: string,
): string {
  const others = members.filter((member) => member.name !== name)
  const mates = others.map((member) => `${member.name} (${oneLine(member.agentType, longestName)})`)
  return [
    initialPrompt,
    '',
    '## Your team',
    '',
    `You are ${name} in the team ${team}${description === undefined ? '' : `: ${oneLine(description, 1_000)}`}.`,
    `Your lead is ${oneLine(lead, longestName)}, whom you address as "lead".${mates.length === 0 ? '' : ` Your teammates are ${mates.join(', ')}.`}`,
    'Write to them with the send_message tool, by name. They see nothing else of your work. Messages for you appear in this conversation: to wait for one, end your turn. When everybody is idle, your lead gets what you said last.',
  ].join('\n')
}
