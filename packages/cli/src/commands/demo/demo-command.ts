import { defineCommand } from '../../app/command.ts'
import { booleanFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const demoCommand = defineCommand({
  brief: commands.demo,
  about:
    'Shows how an agent answers a message in ten steps: it plans, asks for your approval to run a command, runs it, checks the result,\n' +
    'asks for your approval to send the answer, and sends it. The model is scripted, so the demo needs neither network nor an API key. The\n' +
    'daemon, the files, the command and the approvals are real, and the home directory is kept for you to inspect.\n' +
    'Without a terminal, the demo approves both requests itself and prints a note.',
  examples: [
    ['demo', 'run in a temporary folder'],
    ['demo --yes', 'approve everything without asking'],
    ['demo --dir ./cadre-demo', 'run in a folder of your choice'],
  ],
  parameters: {
    flags: {
      dir: textFlag(
        'The folder for the home directory and the workspace; default: a temporary folder',
        'DIR',
      ),
      yes: booleanFlag('Approve both requests without asking'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./demo.ts')).runDemo,
})
