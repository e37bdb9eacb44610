import { defineCommand } from '../../app/command.ts'
import {
  countFlag,
  gateFlags,
  homeFlag,
  jsonFlag,
  scriptAliases,
  scriptFlags,
  textFlag,
  trustFlag,
} from '../../app/flags.ts'

export const resumeCommand = defineCommand({
  brief: 'Resume a session where it stopped, or send it another message',
  about:
    'Resumes a session after a crash, a cancellation, an error or a decision. For a completed session, prints its report again, or\n' +
    'continues the conversation if you pass a message. The first characters of an id are enough if they are unique.',
  examples: [
    ['resume lead-4k2', 'resume it where it stopped'],
    ['resume lead-4k2 --max-turns 60', 'continue a session that reached its round limit'],
    ['resume lead-4k2 "Now add a test for it"', 'continue the conversation'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      model: textFlag('Switch to another model, as BACKEND:NAME', 'MODEL'),
      depth: countFlag(
        'The maximum delegation depth from now on; default: the limit that the run started with',
        0,
      ),
      concurrency: countFlag(
        'The maximum number of delegated sessions that run at the same time; default: the limit that the run started with',
        1,
      ),
      ...gateFlags,
      maxTurns: countFlag(
        'The maximum number of further rounds; also continues a session that stopped at its limit',
        1,
      ),
      ...scriptFlags,
      trust: trustFlag,
      json: jsonFlag,
    },
    aliases: scriptAliases,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'The session id, or the first characters of the id', parse: String, placeholder: 'session' },
        {
          brief: 'The message for the agent; - reads it from standard input',
          parse: String,
          placeholder: 'message',
          optional: true,
        },
      ],
    },
  },
  load: async () => (await import('./resume.ts')).resumeRun,
})
