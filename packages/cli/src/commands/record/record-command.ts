import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const recordCommand = defineCommand({
  brief: commands.record,
  about:
    'Records a finished run as a fixture: one JSON file with the work, model replies, tool outcomes, decisions and answers\n' +
    'from people, for all sessions in the run. Secrets are masked, and paths and session ids are placeholders. "cadre replay"\n' +
    'replays the fixture. With --json and --out: one object with `session`, `sessions` (how many), `path` and `status`.',
  examples: [
    ['record lead-4k2 --out tests/slug.fixture.json', 'write the fixture to a file'],
    ['record lead-4k2 | jq .run.work', 'print it to standard output'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      out: textFlag('The file to write; default: standard output', 'FILE'),
      force: booleanFlag('Replace an existing file'),
      json: jsonFlag,
    },
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'The id of a session in the run, or the first characters of that id',
          parse: String,
          placeholder: 'session',
        },
      ],
    },
  },
  load: async () => (await import('./record.ts')).recordFixture,
})
