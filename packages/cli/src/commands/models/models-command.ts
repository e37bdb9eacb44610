import { defineCommand } from '../../app/command.ts'
import { home, json, text } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const modelsCommand = defineCommand({
  brief: commands.models,
  about:
    'Lists the models of every backend that is configured or signed in to: how many tokens fit into their context window, how many\n' +
    'premium requests of Copilot one request costs, and which one is the default. Names are as --model takes them.\n' +
    'Exits with 5 when a backend does not list its models.',
  examples: [
    ['models', 'a table'],
    [`models --json | jq -r '.[] | select(.default) | .id'`, 'the default model'],
  ],
  parameters: {
    flags: { home, model: text('The default model, as `cadre run` takes it', 'MODEL'), json },
  },
  load: async () => (await import('./models.ts')).models,
})
