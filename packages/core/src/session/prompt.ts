import type { AgentDefinition } from '../ports/agent.ts'
import type { JsonObject } from '../ports/json.ts'
import type { PromptPart } from '../ports/knowledge.ts'
import { outputSection } from '../schema/require-output.ts'
import type { MemberRequest, TeamRequest } from '../tree/team-tools.ts'
import { delegationName, type Toolset } from '../vocabulary/toolset.ts'

/** Names are not shortened, because the model must be able to write them. */
const maxNameLength = 200

interface PromptOptions {
  /** The schema of its report. */
  readonly outputSchema?: JsonObject | undefined
  /** Instructions, skills and facts that are appended. */
  readonly known?: readonly PromptPart[]
}

/**
 * The system prompt of a session in its parts. An agent that may delegate gets the list of its targets after its prompt, and one whose
 * definition restricts its tools gets those that are left. The gate enforces both. Knowledge comes last: it changes most often, and servers
 * cache prompts by prefix.
 */
export function promptParts(
  agent: AgentDefinition,
  targets: readonly AgentDefinition[],
  toolset: Toolset,
  { outputSchema, known = [] }: PromptOptions = {},
): readonly PromptPart[] {
  const { source, name } = agent
  const place =
    source === undefined
      ? `agent ${name}`
      : `${source.path}${source.line === undefined ? '' : `:${source.line}`}`
  const delegation = delegationSection(targets, delegationName(toolset))
  const restricted = restrictions(agent, toolset)
  return [
    ...(agent.prompt.trim() === '' ? [] : [{ from: place, text: agent.prompt }]),
    ...(delegation === undefined ? [] : [{ from: 'Cadre: agents it can delegate to', text: delegation }]),
    ...(restricted === undefined ? [] : [{ from: 'Cadre: tools it may use', text: restricted }]),
    ...(outputSchema === undefined
      ? []
      : [{ from: "Cadre: the format of the agent's report", text: outputSection(outputSchema) }]),
    ...known,
  ]
}

/** Joins the parts of the system prompt. It starts with the unchanged prompt of the agent. */
export function joinPrompt(parts: readonly PromptPart[]): string {
  const [first, ...rest] = parts
  if (first === undefined) return ''
  if (rest.length === 0) return first.text
  return [first.text.trimEnd(), ...rest.map(({ text }) => text)].join('\n\n')
}

/** The system prompt of a session without knowledge. */
export function systemPrompt(
  agent: AgentDefinition,
  targets: readonly AgentDefinition[],
  toolset: Toolset,
): string {
  const parts = promptParts(agent, targets, toolset)
  return parts.length === 0 ? agent.prompt : joinPrompt(parts)
}

function delegationSection(
  targets: readonly AgentDefinition[],
  tool: string | undefined,
): string | undefined {
  if (targets.length === 0 || tool === undefined) return undefined
  const names = targets.map((target) => oneLine(target.name, maxNameLength))
  const bullets = targets.map(
    (target) =>
      `- **${oneLine(target.name, maxNameLength)}**: ${oneLine(target.useFor ?? target.description, 500)}`,
  )
  return [
    '## Available Agents for Delegation',
    '',
    `You can delegate work to the following agents using the ${tool} tool:`,
    '',
    ...bullets,
    '',
    `When using the ${tool} tool, use one of these agent names: ${names.map(formatName).join(', ')}`,
  ].join('\n')
}

/** Models try tools that they know from elsewhere. Telling them which they have saves a refused call. */
function restrictions({ tools, disallowedTools = [], prompt }: AgentDefinition, toolset: Toolset) {
  const isListed = tools.kind === 'list' && !tools.names.includes('*')
  if (!isListed && disallowedTools.length === 0) return undefined
  const names = toolset.names().map((name) => oneLine(name, maxNameLength))
  // Without a prompt and without tools it is the plain model.
  if (names.length === 0 && prompt === '') return undefined
  const allowed =
    names.length === 0 ? 'You have no tools.' : `You may use only these tools: ${names.join(', ')}.`
  return `<tool_restrictions>\n${allowed} Calls to other tools are denied.\n</tool_restrictions>`
}

/** Formats a name for a comma-separated list. */
function formatName(name: string): string {
  return name.includes(',') ? JSON.stringify(name) : name
}

/**
 * Makes text from a file safe inside a prompt. On one line, it cannot pose as a heading, a list item or a new section, and it cannot hide
 * anything from a person who reads the prompt.
 */
export function oneLine(text: string, max: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll('**', '')
    .trim()
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`
}

/** The work of a delegated session that must end with a report. */
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
    'When the work is done, call the reportOut tool with your report. The agent that delegated the work sees only this report.',
  ].join('\n')
}

const delegated = /^## Work\s+([\s\S]*?)\s+## Report expectations\s/

/** The original work of a session, without the headings of `delegatedWork`. */
export function workWithoutHeadings(content: string): string {
  return delegated.exec(content)?.[1] ?? content
}

/** The first message to a teammate: its work, its name, and the other members. */
export function teammateWork(
  { name, initialPrompt }: MemberRequest,
  { name: team, description, members }: TeamRequest,
  lead: string,
): string {
  const others = members.filter((member) => member.name !== name)
  const mates = others.map((member) => `${member.name} (${oneLine(member.agentType, maxNameLength)})`)
  return [
    initialPrompt,
    '',
    '## Your team',
    '',
    `You are ${name} in the team ${team}${description === undefined ? '' : `: ${oneLine(description, 1_000)}`}.`,
    `Your lead is ${oneLine(lead, maxNameLength)}, whom you address as "lead".${mates.length === 0 ? '' : ` Your teammates are ${mates.join(', ')}.`}`,
    'Write to them with the send_message tool, by name. They see no other part of your work. Messages for you appear in this conversation: to wait for one, end your turn. When everyone is idle, your lead gets your last reply.',
  ].join('\n')
}
