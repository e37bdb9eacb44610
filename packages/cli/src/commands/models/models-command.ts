import { defineCommand } from '../../app/command.ts'
import { homeFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const modelsCommand = defineCommand({
  brief: commands.models,
  about:
    'Lists the models from every backend that is configured or signed in to, with the size of the context window, the price in dollars\n' +
    'per million tokens of input and output where it is known, the cost in Copilot premium requests, and the default model. Use the names with --model.\n' +
    'Exits with 5 when a backend does not list its models.',
  examples: [
    ['models', 'a table'],
    [`models --json | jq -r '.[] | select(.default) | .id'`, 'the default model'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      model: textFlag('The default model, as in "cadre run"', 'MODEL'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./models.ts')).showModels,
})
