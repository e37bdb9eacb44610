import { defineCommand } from '../../app/command.ts'
import { count, gateFlags, home, json, scriptAliases, scriptFlags, text, trust } from '../../app/flags.ts'

export const resumeCommand = defineCommand({
  brief: 'Resume a session where it stopped, or send it another message',
  about:
    'Resumes a session after a crash, a cancellation, an error or a decision. A completed session prints its report again; with a\n' +
    'message, it continues the conversation. The beginning of an id is enough if it is unique.',
  examples: [
    ['resume lead-4k2', 'resume it where it stopped'],
    ['resume lead-4k2 --max-turns 60', 'continue a session that reached its round limit'],
    ['resume lead-4k2 "Now add a test for it"', 'continue the conversation'],
  ],
  parameters: {
    flags: {
      home,
      model: text('Switch to another model, as BACKEND:NAME', 'MODEL'),
      depth: count(
        'The maximum delegation depth from now on; default: the limit that the run started with',
        0,
      ),
      concurrency: count(
        'The maximum number of delegated sessions that run at once; default: the limit that the run started with',
        1,
      ),
      ...gateFlags,
      maxTurns: count(
        'The maximum number of rounds from now on, even if the session stopped at its limit',
        1,
      ),
      ...scriptFlags,
      trust,
      json,
    },
    aliases: scriptAliases,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'The id of the session, or its beginning', parse: String, placeholder: 'session' },
        {
          brief: 'The message to the agent; - reads it from standard input',
          parse: String,
          placeholder: 'message',
          optional: true,
        },
      ],
    },
  },
  load: async () => (await import('./resume.ts')).resume,
})
