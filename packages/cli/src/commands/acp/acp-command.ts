import { defineCommand } from '../../app/command.ts'
import { controlFlags, gateFlags, homeFlag, teamFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const acpCommand = defineCommand({
  brief: commands.acp,
  about:
    'Runs agents for an editor with the Agent Client Protocol (ACP), version 1, over standard input and output. Editors start this command\n' +
    'themselves: docs/acp.md has the settings for Zed, JetBrains and Neovim. Sessions in the editor are also available in a terminal, where\n' +
    'you can approve their calls and resume them with "cadre resume". The editor can load sessions that you started in a terminal.\n' +
    'The flags apply to every session. When the editor exits, running sessions are suspended, and you can resume them.',
  examples: [
    ['acp', 'use the agents in the project that the editor opens'],
    ['acp --team supervisor --model openai:gpt-5', 'start every session with a built-in team and a model'],
    ['acp --read-only', 'agents in the editor cannot change anything'],
  ],
  parameters: {
    flags: {
      agent: textFlag('The agent for new sessions. You can choose another in the editor', 'AGENT'),
      team: teamFlag,
      model: textFlag('The model, as BACKEND:NAME. You can choose another in the editor', 'MODEL'),
      ...gateFlags,
      ...controlFlags,
      home: homeFlag,
      trust: trustFlag,
    },
  },
  load: async () => (await import('./acp.ts')).serveAcpOnStdio,
})
