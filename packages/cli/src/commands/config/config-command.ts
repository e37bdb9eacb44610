import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const key = { brief: 'The key, with dots: openai.baseUrl', parse: String, placeholder: 'key' } as const

const list = defineCommand({
  brief: 'List the settings in effect, with their sources',
  about:
    'Lists every setting with its value and its source: the line of a file, an environment variable or a policy. The project configuration\n' +
    'takes precedence over your user configuration, and environment variables over both. API keys and passwords in addresses are never shown.\n' +
    'With --json: [{"key", "value", "source", "from", "overrides"}].',
  examples: [
    ['config list', 'a table'],
    ['config list --all', 'include keys that are not set'],
  ],
  parameters: {
    flags: { all: booleanFlag('Include keys that are not set'), home: homeFlag, json: jsonFlag },
  },
  load: async () => (await import('./config-show.ts')).listConfig,
})

const get = defineCommand({
  brief: 'Print a setting',
  about:
    'Prints the value of a key, or all values of a section. In a terminal, it also prints the source of each value.\n' +
    'Exits with 1 when the key is not set.',
  examples: [
    ['config get model', 'the default model'],
    ['config get openai --json', 'a section, with sources'],
  ],
  parameters: { flags: { home: homeFlag, json: jsonFlag }, positional: { kind: 'tuple', parameters: [key] } },
  load: async () => (await import('./config-show.ts')).getConfig,
})

const set = defineCommand({
  brief: 'Change a setting in your user configuration, or with --project in the project configuration',
  about:
    'Changes one key and keeps the rest of the file, including comments. Checks the key and the value first, and does not write invalid\n' +
    'ones. Write values other than strings as YAML: true, 5, [a, b]. Does not accept secrets: use keyCommand or "cadre setup".',
  examples: [
    ['config set model openai:gpt-5', 'the default model, for all projects'],
    ['config set --project limits.depth 2', 'for this project only'],
    [`config set aliases.fast openai:gpt-5-mini`, 'define an alias'],
  ],
  parameters: {
    flags: {
      user: booleanFlag('Change your user configuration (the default)'),
      project: booleanFlag("Change config.yaml in the project's home directory"),
      home: homeFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'tuple',
      parameters: [key, { brief: 'The new value', parse: String, placeholder: 'value' }],
    },
  },
  load: async () => (await import('./config-set.ts')).setConfig,
})

const edit = defineCommand({
  brief: 'Edit your user configuration, or with --project the project configuration, and check it',
  about:
    'Opens the file in VISUAL or EDITOR. When you close the editor, checks the file and reports its errors.',
  examples: [
    ['config edit', 'edit your user configuration'],
    ['config edit --project', 'edit the project configuration'],
  ],
  parameters: {
    flags: { project: booleanFlag("Edit config.yaml in the project's home directory"), home: homeFlag },
  },
  load: async () => (await import('./config-edit.ts')).editConfig,
})

export const configRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, { list, get, set, edit }),
  docs: {
    brief: commands.config,
    fullDescription: `${commands.config}.\n\nEXAMPLES\n  cadre config list\n    settings in effect, with their sources`,
  },
})
