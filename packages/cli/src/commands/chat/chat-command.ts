import { defineCommand } from '../../app/command.ts'
import {
  booleanFlag,
  controlFlags,
  gateFlags,
  homeFlag,
  jsonFlag,
  teamFlag,
  textFlag,
  trustFlag,
} from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const chatCommand = defineCommand({
  brief: commands.chat,
  about:
    'Starts a conversation with an agent, which may delegate as in a run. Cadre shows the tree of agents while they work and records\n' +
    'every message, so you can resume a conversation at any time. `@NAME …` switches to another agent, a number accepts a handoff that\n' +
    'an agent offers, and /help lists all commands. Ctrl-C stops the running agents and returns to the prompt.\n' +
    'Without a terminal, each line of standard input is a message; an empty line or the end of input ends the chat. The exit code is\n' +
    'that of the last turn.',
  examples: [
    ['chat', 'chat with the agent that "cadre run" would start'],
    ['chat --resume', 'resume the most recent conversation'],
    ['chat --agent planner --no-subagents', 'chat with one agent that cannot delegate'],
    ['chat --json < messages.txt', 'read one message per line; print events and a report for each as JSON'],
  ],
  parameters: {
    flags: {
      agent: textFlag('The agent to chat with', 'AGENT'),
      team: teamFlag,
      model: textFlag('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      resume: {
        ...textFlag(
          'Resume a conversation by id or the beginning of its id; without a value, the most recent one',
          'ID',
        ),
        inferEmpty: true,
      },
      noSubagents: booleanFlag('Forbid delegation in this conversation'),
      ...gateFlags,
      ...controlFlags,
      home: homeFlag,
      workspace: textFlag('The folder the agents may change; default: the current folder', 'DIR'),
      trust: trustFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./start-chat.ts')).startChat,
})
