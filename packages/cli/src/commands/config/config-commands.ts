import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { flag, home, json } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const key = { brief: 'The key, with dots: openai.baseUrl', parse: String, placeholder: 'key' } as const

const list = defineCommand({
  brief: 'List the settings in effect, with their sources',
  about:
    'Lists every setting with its value and its source: the line of a file, an environment variable or a policy. The file of the\n' +
    'project takes precedence over yours, and environment variables over both. Keys are never shown.\n' +
    'With --json: [{"key", "value", "source", "from", "overrides"}].',
  examples: [
    ['config list', 'a table'],
    ['config list --all', 'also keys that are not set'],
  ],
  parameters: { flags: { all: flag('List all keys, also those that are not set'), home, json } },
  load: async () => (await import('./config-show.ts')).listConfig,
})

const get = defineCommand({
  brief: 'Print a setting',
  about:
    'Prints the value of a key, or all values of a section. At a terminal, also prints where each value comes from.\n' +
    'Exits with 1 when the key is not set.',
  examples: [
    ['config get model', 'the default model'],
    ['config get openai --json', 'a section, with sources'],
  ],
  parameters: { flags: { home, json }, positional: { kind: 'tuple', parameters: [key] } },
  load: async () => (await import('./config-show.ts')).getConfig,
})

const set = defineCommand({
  brief: 'Change a setting in your file, or with --project in the file of the project',
  about:
    'Changes one key and leaves the rest of the file as it is, comments included. Checks the result first: a misspelt key or a wrong\n' +
    'value changes nothing. Values that are not text are YAML: true, 5, [a, b]. Secrets are refused: use keyCommand or "cadre setup".',
  examples: [
    ['config set model openai:gpt-5', 'the default model, for all projects'],
    ['config set --project limits.depth 2', 'for this project only'],
    [`config set aliases.fast openai:gpt-5-mini`, 'a name of your own'],
  ],
  parameters: {
    flags: {
      user: flag('Change your own file, which is the default'),
      project: flag('Change config.yaml in the home directory of the project'),
      home,
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [key, { brief: 'The new value', parse: String, placeholder: 'value' }],
    },
  },
  load: async () => (await import('./config-set.ts')).setConfig,
})

const edit = defineCommand({
  brief: 'Open your file, or with --project the file of the project, in an editor and check it',
  about:
    'Opens the file in VISUAL or EDITOR. When the editor ends, checks the file and shows what is wrong with it.',
  examples: [
    ['config edit', 'your own file'],
    ['config edit --project', 'the file of the project'],
  ],
  parameters: {
    flags: { project: flag('Edit config.yaml in the home directory of the project'), home },
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
