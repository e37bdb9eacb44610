import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { flag, home, json, team, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const dialects = ['copilot', 'claude', 'opencode', 'template', 'settings'] as const

const to = {
  kind: 'enum',
  values: dialects,
  brief:
    'The dialect to write: .github/agents, .claude/agents, .opencode/agent, templates of the home, or settings',
} as const

const names = {
  kind: 'enum',
  values: ['keep', 'host'],
  brief:
    'Names of tools and models: as they are, or as the program of the dialect calls them; default: host for claude and opencode',
  optional: true,
} as const

const force = flag('Replace files that are there already')

const exportCommand = defineCommand({
  brief: 'Write agents in another dialect',
  about:
    'Writes agents, all of them or those you name, in another dialect. What the dialect has no key for is written under keys\n' +
    'that cadre reads back. Tools and models get the names of Claude Code or opencode, never for more than before, and each\n' +
    'change is said on standard error, as is what the program will ignore; with --names keep nothing changes. An agent that is a\n' +
    'file of that dialect already is given as it is, byte for byte. One agent, or settings, is printed; several need --out.\n' +
    'Ends with 1 when something cannot be written in that dialect: it is left out, and said.\n' +
    'With --json: {"files": [{"path", "text"}], "notes": [{"agent", "message"}], "faults": [{"agent", "message"}]}.',
  examples: [
    ['agents export reviewer --to claude', 'prints one agent as Claude Code writes it'],
    ['agents export --to copilot --out .', 'all agents, as files in .github/agents'],
    ['agents export --to settings --out team.json', 'all agents, in one file'],
  ],
  parameters: {
    flags: {
      to,
      names,
      out: text('The folder to write to; for one file, that file', 'PATH'),
      force,
      home,
      json,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'The agents; default: all that are defined in files',
        parse: String,
        placeholder: 'agent',
      },
    },
  },
  load: async () => (await import('./agents-export.ts')).exportCommand,
})

const importCommand = defineCommand({
  brief: 'Take agents from files of any dialect into this project',
  about:
    'Reads agents from files of any dialect, settings of every age included, and writes them into the project. Says what it\n' +
    'wrote, what an older form became, where a default is used, which tools and models got the names of Claude Code or opencode\n' +
    '(none with --names keep), and what the program of the new dialect will ignore. Either\n' +
    'everything is written or nothing. Settings go into .vscode/settings.json, where everything else stays as it is.',
  examples: [
    ['agents import team.json --to copilot', 'one file in .github/agents for each agent'],
    ['agents import .claude/agents/*.md --to settings --dry-run', 'what would be written'],
  ],
  parameters: {
    flags: {
      to,
      names,
      dir: text('The project to write to; default: the one of the current folder', 'DIR'),
      dryRun: flag('Only say what would be written'),
      force,
      home,
      json,
    },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Files with agents in them', parse: String, placeholder: 'file' },
    },
  },
  load: async () => (await import('./agents-import.ts')).importCommand,
})

const list = defineCommand({
  brief: 'The agents that can be used here, where each comes from, and the files no agent came out of',
  examples: [
    ['agents list', 'a table'],
    [`agents list --json | jq -r '.[] | select(.shadows) | .name'`, 'names that are defined more than once'],
  ],
  parameters: { flags: { team, home, json } },
  load: async () => (await import('./agents-list.ts')).listAgents,
})

const show = defineCommand({
  brief: 'What an agent may really do, and from where each part of it comes',
  about:
    'What an agent may really do: its tools among those that are there, what its own file forbids or has asked about, whom it\n' +
    'may start, the model it would run on, its limits; each with the place it comes from. Worked out by what a run uses.',
  examples: [
    ['agents show lead', 'everything about lead'],
    [`agents show lead --json | jq -r '.tools[].name'`, 'the tools it would be offered'],
  ],
  parameters: {
    flags: { team, home, model: text('The default model, as `cadre run` takes it', 'MODEL'), trust, json },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The name of the agent', parse: String, placeholder: 'agent' }],
    },
  },
  load: async () => (await import('./agents-show.ts')).showAgent,
})

export const agentsRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, {
    list,
    show,
    import: importCommand,
    export: exportCommand,
  }),
  docs: {
    brief: commands.agents,
    fullDescription: `${commands.agents}.\n\nEXAMPLES\n  cadre agents list\n    a table of all agents`,
  },
})
