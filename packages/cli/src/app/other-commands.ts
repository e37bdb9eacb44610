import { commands } from '../commands.ts'
import { defineCommand } from './command.ts'
import { count, flag, home, json, text } from './flags.ts'

export const demoCommand = defineCommand({
  brief: commands.demo,
  about:
    'From a message to its answer in ten steps: a planner plans, a command waits for your approval and is run, its outcome is judged, and the\n' +
    'answer waits for your approval and is sent. The model is scripted, so it needs no network and no key; the daemon, the files, the command and\n' +
    'the approvals are real, and the home is kept for you to look at. Without a terminal the demo approves by itself, and says so.',
  examples: [
    ['demo', 'in a temporary folder'],
    ['demo --yes', 'without being asked'],
    ['demo --dir ./cadre-demo', 'in a folder of your choice'],
  ],
  parameters: {
    flags: {
      dir: text('Where to put the home and the workspace; default: a temporary folder', 'DIR'),
      yes: flag('Give the two approvals without asking'),
      json,
    },
  },
  load: async () => (await import('../commands/demo/demo.ts')).demo,
})

export const doctorCommand = defineCommand({
  brief: commands.doctor,
  about: `${commands.doctor}.\nEnds with 0 when everything that is needed is there, and with 1 when something fails. Keys are never shown.`,
  examples: [
    ['doctor', 'one line for each thing that was looked at'],
    [`doctor --json | jq '.checks[] | select(.status != "ok")'`, 'what is not as it should be'],
  ],
  parameters: {
    flags: {
      home,
      model: text('The model to look at instead of the default', 'MODEL'),
      wait: count('Seconds to wait for the Copilot language server; default 3', 1),
      json,
    },
  },
  load: async () => (await import('../commands/doctor/doctor.ts')).doctor,
})
