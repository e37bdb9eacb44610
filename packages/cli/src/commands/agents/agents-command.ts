import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, teamFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'
import { addCommand, duplicateCommand, removeCommand, resetCommand } from './settings-commands.ts'

const dialects = ['copilot', 'claude', 'opencode', 'template', 'settings'] as const

const to = {
  kind: 'enum',
  values: dialects,
  brief:
    'The dialect to write: copilot (.github/agents), claude (.claude/agents), opencode (.opencode/agent), template (templates in the home directory) or settings (VS Code settings)',
} as const

const names = {
  kind: 'enum',
  values: ['keep', 'host'],
  brief:
    'Which tool and model names to write: keep the current ones, or use those of the program you export to (host). Default: host for claude and opencode, otherwise keep',
  optional: true,
} as const

const force = booleanFlag('Replace existing files')

const exportCommand = defineCommand({
  brief: 'Export agents to another dialect',
  about:
    'Exports the agents you name, or all of them, to another dialect. If the dialect has no key for a setting, Cadre writes it under a\n' +
    'key of its own and can read it back. Tools and models get their Claude Code or opencode names, and permissions never become wider.\n' +
    'Standard error lists each change, and each key that the host will ignore. With --names keep, names do not change. A file that is\n' +
    'already in that dialect is copied unchanged. A single agent, or settings, goes to standard output; several agents require --out.\n' +
    'If the dialect cannot express a setting, Cadre omits it, reports it and exits with 1.\n' +
    'With --json: {"files": [{"path", "text"}], "notes": [{"agent", "message"}], "faults": [{"agent", "message"}]}.',
  examples: [
    ['agents export reviewer --to claude', "print one agent in Claude Code's dialect"],
    ['agents export --to copilot --out .', 'write all agents as files to .github/agents'],
    ['agents export --to settings --out team.json', 'write all agents to one file'],
  ],
  parameters: {
    flags: {
      to,
      names,
      out: textFlag('The folder to write to, or the path of the file if there is only one', 'PATH'),
      force,
      home: homeFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'The agents; default: all agents defined in files',
        parse: String,
        placeholder: 'agent',
      },
    },
  },
  load: async () => (await import('./agents-export.ts')).exportCommand,
})

const importCommand = defineCommand({
  brief: 'Import agents from files in any dialect into this project',
  about:
    'Reads agents from files in any dialect, including old settings formats, and writes them to the project. Lists the written files,\n' +
    "migrated settings, defaults, renamed tools and models (none with --names keep), and keys that the new dialect's host will\n" +
    'ignore. Writes all files or none. Writes settings to .vscode/settings.json, without changing its other keys.',
  examples: [
    ['agents import team.json --to copilot', 'write one file per agent to .github/agents'],
    ['agents import .claude/agents/*.md --to settings --dry-run', 'show what would be written'],
  ],
  parameters: {
    flags: {
      to,
      names,
      dir: textFlag('The project to write to; default: the current project', 'DIR'),
      dryRun: booleanFlag('Show what would be written, without writing it'),
      force,
      home: homeFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Files that define agents', parse: String, placeholder: 'file' },
    },
  },
  load: async () => (await import('./agents-import.ts')).importCommand,
})

const list = defineCommand({
  brief: 'List the available agents with their source files, and files without a valid agent',
  examples: [
    ['agents list', 'a table'],
    [`agents list --json | jq -r '.[] | select(.shadows) | .name'`, 'names with more than one definition'],
  ],
  parameters: { flags: { team: teamFlag, home: homeFlag, json: jsonFlag } },
  load: async () => (await import('./agents-list.ts')).listAgents,
})

const show = defineCommand({
  brief: 'Show what an agent may do, and where each setting comes from',
  about:
    'Shows what an agent may do: its tools, its own rules, the agents it can delegate to, its model and its limits, each with its\n' +
    'source. A run uses the same values. With --prompt: the system prompt of a new session in this folder, with the source and the\n' +
    'approximate token count of each part.',
  examples: [
    ['agents show lead', 'everything about the agent lead'],
    [
      'agents show lead --prompt',
      "the agent's system prompt, with the instructions and skills in this folder",
    ],
    [`agents show lead --json | jq -r '.tools[].name'`, "only the names of the agent's tools"],
  ],
  parameters: {
    flags: {
      team: teamFlag,
      home: homeFlag,
      model: textFlag('The default model, as in "cadre run"', 'MODEL'),
      prompt: booleanFlag('Print the system prompt, with the source of each part'),
      trust: trustFlag,
      json: jsonFlag,
    },
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
    add: addCommand,
    duplicate: duplicateCommand,
    remove: removeCommand,
    reset: resetCommand,
  }),
  docs: {
    brief: commands.agents,
    fullDescription: `${commands.agents}. Without a command, lists the agents.\n\nEXAMPLES\n  cadre agents\n    a table of all agents`,
  },
})
