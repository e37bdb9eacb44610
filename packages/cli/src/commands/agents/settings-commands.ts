import { defineCommand } from '../../app/command.ts'
import { booleanFlag, jsonFlag, textFlag } from '../../app/flags.ts'

/** Commands that edit the agents in VS Code settings, like the settings page of the extension. */

const shared = {
  settings: textFlag("The settings file; default: the project's .vscode/settings.json", 'FILE'),
  dryRun: booleanFlag('Show what would change, without writing it'),
  json: jsonFlag,
} as const

const removing = { yes: booleanFlag('Remove without asking') } as const

const name = { brief: 'The name of the agent', parse: String, placeholder: 'agent' } as const

export const addCommand = defineCommand({
  brief: 'Add an agent to the VS Code settings',
  about:
    'Adds an agent to the VS Code settings. Its name may contain the letters A to Z, digits, - and _. Without --tools it can read and\n' +
    'search. It cannot delegate. The first agent becomes the entry agent. Comments and all other settings do not change.\n' +
    'To define an agent in its own file, create the file: see docs/agents.md.',
  examples: [
    [
      'agents add reviewer --description "Reviews changes" --prompt "You review changes."',
      'an agent that reads and searches',
    ],
    [
      'agents add reviewer --description "…" --prompt "…" --tools read,search,execute --dry-run',
      'show what would change, without writing it',
    ],
  ],
  parameters: {
    flags: {
      description: {
        ...textFlag('What the agent does, for people and other agents', 'TEXT'),
        optional: false,
      },
      prompt: { ...textFlag("The agent's instructions", 'TEXT'), optional: false },
      useFor: textFlag(
        'The work that other agents should delegate to this agent; default: the description',
        'TEXT',
      ),
      tools: textFlag('Tools that the agent may use, separated by commas; default: read,search', 'NAMES'),
      model: textFlag("The agent's model; default: the run's model", 'MODEL'),
      ...shared,
    },
    positional: { kind: 'tuple', parameters: [name] },
  },
  load: async () => (await import('./agents-settings.ts')).addAgent,
})

export const duplicateCommand = defineCommand({
  brief: 'Duplicate an agent in the VS Code settings',
  about:
    'Copies an agent in the VS Code settings. Cadre inserts the copy after the original. Without a second name, the copy is named AGENT-copy.',
  examples: [
    ['agents duplicate reviewer', 'add reviewer-copy'],
    ['agents duplicate reviewer strict-reviewer', 'add a copy with another name'],
  ],
  parameters: {
    flags: shared,
    positional: {
      kind: 'tuple',
      parameters: [
        name,
        { brief: 'The name of the copy', parse: String, placeholder: 'new name', optional: true },
      ],
    },
  },
  load: async () => (await import('./agents-settings.ts')).duplicateAgent,
})

export const removeCommand = defineCommand({
  brief: 'Remove an agent from the VS Code settings',
  about:
    'Removes an agent from the VS Code settings, and from the lists of the agents that may delegate to it. Asks first, unless you\n' +
    'pass --yes. To remove the entry agent, name another one with --entry.',
  examples: [
    ['agents remove reviewer', 'remove one agent, after asking'],
    ['agents remove lead --entry writer --yes', 'remove the entry agent; writer takes its place'],
  ],
  parameters: {
    flags: { entry: textFlag('The new entry agent', 'AGENT'), ...removing, ...shared },
    positional: { kind: 'tuple', parameters: [name] },
  },
  load: async () => (await import('./agents-settings.ts')).removeAgent,
})

export const resetCommand = defineCommand({
  brief: 'Remove all agents from the VS Code settings',
  about:
    'Removes all agents and the entry agent from the VS Code settings. Cadre then uses agent files, or the built-in team. Asks first,\n' +
    'unless you pass --yes. To keep a copy, export them first: cadre agents export --to settings --out team.json.',
  examples: [
    ['agents reset', 'remove all agents, after asking'],
    ['agents reset --dry-run', 'list the agents that would be removed'],
  ],
  parameters: { flags: { ...removing, ...shared } },
  load: async () => (await import('./agents-settings.ts')).resetAgents,
})
