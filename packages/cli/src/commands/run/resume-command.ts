import { defineCommand } from '../../app/command.ts'
import { count, gateFlags, home, json, text, trust } from '../../app/flags.ts'

export const resumeCommand = defineCommand({
  brief: 'Continue a session where it was, or say something more to it',
  about:
    'Continues a session after a crash, a cancel, an error or a decision. One that has completed prints its report again; with\n' +
    'more work the conversation goes on. The beginning of an id is enough, as long as no other id begins like it.',
  examples: [
    ['resume lead-4k2', 'goes on where it was'],
    ['resume lead-4k2 "Now add a test for it"', 'continues the conversation'],
  ],
  parameters: {
    flags: {
      home,
      model: text('Another model from here on, as BACKEND:NAME', 'MODEL'),
      depth: count('How deep delegations may go from now on; default: as the run was started', 0),
      concurrency: count('How many delegated sessions may work at once; default: as the run was started', 1),
      ...gateFlags,
      trust,
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'The id of the session, or its beginning', parse: String, placeholder: 'session' },
        {
          brief: 'What you have to say to it; - reads it from standard input',
          parse: String,
          placeholder: 'work',
          optional: true,
        },
      ],
    },
  },
  load: async () => (await import('./resume.ts')).resume,
})
