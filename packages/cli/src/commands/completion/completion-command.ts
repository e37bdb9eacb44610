import { defineCommand } from '../../app/command.ts'
import { commands } from '../../commands.ts'

export const completionCommand = defineCommand({
  brief: commands.completion,
  about:
    'Prints a completion script for commands, flags, and the names of agents, teams, models, sessions and approvals.',
  examples: [
    ['completion bash >> ~/.bashrc', 'for bash'],
    ['completion zsh >> ~/.zshrc', 'for zsh, after "compinit"'],
    ['completion fish > ~/.config/fish/completions/cadre.fish', 'for fish'],
  ],
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'bash, zsh or fish', parse: String, placeholder: 'shell' }],
    },
  },
  load: async () => (await import('./completion.ts')).printCompletion,
})
