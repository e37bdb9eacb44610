import { listTeams } from '@cadre/agents'
import type { AgentDefinition } from '@cadre/core'
import { shownLine } from '@cadre/gate'
import { assistant, type ControlFlags, type Runtime } from '@cadre/runtime'
import type { ClientCapabilities, SessionConfigOption, SessionModeState } from './acp-types.ts'

/** The person's choices in the editor. If absent, the configuration applies. */
export interface Choices {
  readonly agent?: string
  readonly team?: string
  readonly model?: string
  readonly mode: Mode
  /** False if agents may not delegate. */
  readonly delegation: boolean
}

export type Mode = 'default' | 'ask' | 'read-only'

/** Modes only add restrictions: an editor's mode never loosens a policy. */
export const modes: readonly { readonly id: Mode; readonly name: string; readonly description: string }[] = [
  { id: 'default', name: 'Default', description: 'Agents ask where your policy requires it' },
  {
    id: 'ask',
    name: 'Ask before every effect',
    description: 'Agents ask before they write, run or send anything',
  },
  { id: 'read-only', name: 'Read only', description: 'Agents cannot write files, run programs or send data' },
]

/** The value for no team: the project's agents. */
export const noTeam = 'none'
/** The value for the agent's or the configuration's model. */
export const defaultModel = 'default'

export function controlsForMode(mode: Mode): ControlFlags {
  return { readOnly: mode === 'read-only', approvalRequired: mode === 'ask' }
}

/** The agents that a person may start. */
function startableAgents({ agents }: Pick<Runtime, 'agents'>): readonly AgentDefinition[] {
  return [...agents.list(), assistant].filter(
    (agent, index, all) =>
      agent.userInvocable !== false && all.findIndex(({ name }) => name === agent.name) === index,
  )
}

export function configOptions(
  runtime: Pick<Runtime, 'agents'>,
  choices: Choices & { readonly agent: string },
  { models, capabilities }: { readonly models: readonly string[]; readonly capabilities: ClientCapabilities },
): SessionConfigOption[] {
  const known = startableAgents(runtime)
  const agents = known.some(({ name }) => name === choices.agent)
    ? known
    : [...known, { name: choices.agent, description: 'The agent for this session' }]
  const ids = [...new Set([...(choices.model === undefined ? [] : [choices.model]), ...models])]
  return [
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: choices.mode,
      options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: choices.model ?? defaultModel,
      options: [
        {
          value: defaultModel,
          name: 'Default',
          description: "The agent's model, or the model in your configuration",
        },
        ...ids.map((id) => ({ value: id, name: shownLine(id, 100) })),
      ],
    },
    {
      id: 'agent',
      name: 'Agent',
      description: 'The agent that answers. It may delegate to others',
      category: '_cadre_agent',
      type: 'select',
      currentValue: choices.agent,
      options: agents.map(({ name, description }) => ({
        value: name,
        name: shownLine(name, 80),
        description: shownLine(description, 300),
      })),
    },
    {
      id: 'team',
      name: 'Team',
      description: 'A built-in team of agents',
      category: '_cadre_team',
      type: 'select',
      currentValue: choices.team ?? noTeam,
      options: teamOptions(choices.team),
    },
    ...(capabilities.session?.configOptions?.boolean
      ? [
          {
            id: 'delegation',
            name: 'Delegation',
            description: 'Whether agents may delegate to other agents',
            category: '_cadre_delegation',
            type: 'boolean',
            currentValue: choices.delegation,
          } as const,
        ]
      : []),
  ]
}

/** For editors that support only modes. */
export function modeState(mode: Mode): SessionModeState {
  return { currentModeId: mode, availableModes: modes.map((one) => ({ ...one })) }
}

function teamOptions(current: string | undefined) {
  const teams = listTeams().flatMap(({ name, description, variants }) =>
    variants.map((variant, index) => ({
      value: index === 0 ? name : `${name}/${variant.name}`,
      name: index === 0 ? name : `${name}/${variant.name}`,
      description: shownLine(index === 0 ? description : variant.description, 300),
    })),
  )
  const isKnown = current === undefined || teams.some(({ value }) => value === current)
  return [
    { value: noTeam, name: 'None', description: 'Agents in the project and in your user folders' },
    ...teams,
    ...(isKnown ? [] : [{ value: current, name: current }]),
  ]
}
