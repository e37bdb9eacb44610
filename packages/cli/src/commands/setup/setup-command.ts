import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const setupCommand = defineCommand({
  brief: commands.setup,
  about:
    'Finds keys in environment variables, model servers on this machine (Ollama, LM Studio, vLLM) and the sign-in to GitHub Copilot.\n' +
    'Lists the models, sends one test request, and stores your choice in your configuration. Cadre stores a key that you enter in\n' +
    'your operating system\'s secret store, never in a file. "cadre run" and "cadre chat" start the setup if no model is configured.\n' +
    'Without a terminal, pass everything as flags. If the test fails, the command stores nothing and exits with 5.\n' +
    'With --json: {"type": "setup", "model", "file", "tested"}.',
  examples: [
    ['setup', 'choose interactively'],
    [
      'setup --backend openai --base-url http://127.0.0.1:11434/v1 --model qwen3 --yes',
      'use a server on this machine',
    ],
    [
      'setup --backend anthropic --model claude-sonnet-4-5 --key-command "pass show anthropic" --yes',
      'get the key from a command',
    ],
    ['setup --backend openai --model gpt-5 --key-stdin --yes < key.txt', 'store the key in the secret store'],
  ],
  parameters: {
    flags: {
      backend: {
        kind: 'enum',
        values: ['openai', 'responses', 'anthropic', 'copilot-ls'],
        brief: 'The API: openai (chat completions), responses, anthropic, or copilot-ls (GitHub Copilot)',
        placeholder: 'BACKEND',
        optional: true,
      },
      baseUrl: textFlag("The server's address; default: the official server", 'URL'),
      model: textFlag('The default model; may be omitted if the server lists only one', 'MODEL'),
      keyCommand: textFlag('A command that prints the key', 'COMMAND'),
      keyStdin: booleanFlag('Read the key from standard input and store it in the secret store'),
      noTest: booleanFlag('Store the choice without a test request'),
      yes: booleanFlag('Do not prompt: use the flags, or fail'),
      home: homeFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./setup.ts')).runSetup,
})
