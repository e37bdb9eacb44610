import { defineCommand } from '../../app/command.ts'
import { countFlag, homeFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

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
      wait: countFlag('Seconds to wait for each server: Copilot, Restate, git; default 3', 1),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./doctor.ts')).runDoctor,
})
