import { defineCommand } from '../../app/command.ts'
import { controlFlags, flag, gateFlags, home, json, team, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const chatCommand = defineCommand({
  brief: commands.chat,
  about:
    'A conversation with an agent, which may delegate as in a run; the tree of agents is shown while they work. Every message is\n' +
    'recorded, so a conversation can be taken up again after anything. `@NAME …` goes on with another agent, a number takes a\n' +
    'handoff that an agent offers, /help shows the rest. Ctrl-C stops the agents at work and comes back to the prompt.\n' +
    'Without a terminal every line of standard input is a message; an empty line or the end leaves. The exit code is that of\n' +
    'the last turn.',
  examples: [
    ['chat', 'with the agent that `cadre run` would start'],
    ['chat --resume', 'goes on with the newest conversation'],
    ['chat --agent planner --no-subagents', 'with one agent that works alone'],
    ['chat --json < messages.txt', 'a message a line; events and a report for each, as JSON'],
  ],
  parameters: {
    flags: {
      agent: text('The agent to talk to', 'AGENT'),
      team,
      model: text('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      resume: {
        ...text('Go on with a conversation: its id or the beginning of it, or none for the newest', 'ID'),
        inferEmpty: true,
      },
      noSubagents: flag('Nobody in this conversation may delegate'),
      ...gateFlags,
      ...controlFlags,
      home,
      workspace: text('The folder the agents may change; default: the current one', 'DIR'),
      trust,
      json,
    },
  },
  load: async () => (await import('./start-chat.ts')).chat,
})
