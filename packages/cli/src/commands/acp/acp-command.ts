import { defineCommand } from '../../app/command.ts'
import { controlFlags, gateFlags, home, team, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const acpCommand = defineCommand({
  brief: commands.acp,
  about:
    'Serves an editor over standard input and output with the Agent Client Protocol (ACP), version 1. Editors start this command\n' +
    'themselves: docs/acp.md has the settings for Zed, JetBrains and Neovim. You can approve calls from the editor in a terminal,\n' +
    'resume its sessions with "cadre resume", and load sessions in the editor that you started in a terminal.\n' +
    'The flags apply to every session. When the editor exits, running sessions are suspended, and you can resume them.',
  examples: [
    ['acp', 'serve an editor with the agents in the project that it opens'],
    ['acp --team supervisor --model openai:gpt-5', 'start every session with a built-in team and a model'],
    ['acp --read-only', 'agents in the editor cannot change anything'],
  ],
  parameters: {
    flags: {
      agent: text('The agent for new sessions; the editor can choose another', 'AGENT'),
      team,
      model: text('The model, as BACKEND:NAME; the editor can choose another', 'MODEL'),
      ...gateFlags,
      ...controlFlags,
      home,
      trust,
    },
  },
  load: async () => (await import('./acp.ts')).serveAcpOnStdio,
})
