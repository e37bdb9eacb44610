import { commands } from '../commands.ts'
import { defineCommand } from './command.ts'
import { booleanFlag, countFlag, homeFlag, jsonFlag, textFlag } from './flags.ts'

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
  load: async () => (await import('../commands/demo/demo.ts')).runDemo,
})

export const doctorCommand = defineCommand({
  brief: commands.doctor,
  about: `${commands.doctor}.\nExits with 0 when every required check passes, and with 1 when one fails. API keys are never shown.`,
  examples: [
    ['doctor', 'one line per check'],
    [`doctor --json | jq '.checks[] | select(.status != "ok")'`, 'only warnings and failures'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      model: textFlag('The model to check instead of the default', 'MODEL'),
      wait: countFlag('Seconds to wait for the Copilot language server; default 3', 1),
      json: jsonFlag,
    },
  },
  load: async () => (await import('../commands/doctor/doctor.ts')).runDoctor,
})
