import { commands } from '../commands.ts'
import { defineCommand } from './command.ts'
import { home, json, text } from './flags.ts'

export const demoCommand = defineCommand({
  brief: commands.demo,
  about:
    'A lead asks three agents in parallel, has a fourth build on their reports, and a fifth check it. The model is scripted, so it needs no\n' +
    'network and no key; the sessions and the files they write are real, and are kept for you to look at.',
  examples: [
    ['demo', 'in a temporary folder'],
    ['demo --dir ./cadre-demo', 'in a folder of your choice'],
  ],
  parameters: {
    flags: { dir: text('Where to put the home and the workspace; default: a temporary folder', 'DIR'), json },
  },
  load: async () => (await import('../commands/demo.ts')).demo,
})

export const doctorCommand = defineCommand({
  brief: commands.doctor,
  about: `${commands.doctor}.\nEnds with 0 when everything that is needed is there, and with 1 when something fails. Keys are never shown.`,
  examples: [
    ['doctor', 'one line for each thing that was looked at'],
    [`doctor --json | jq '.checks[] | select(.status != "ok")'`, 'what is not as it should be'],
  ],
  parameters: {
    flags: { home, model: text('The model to look at instead of the default', 'MODEL'), json },
  },
  load: async () => (await import('../commands/doctor.ts')).doctor,
})
