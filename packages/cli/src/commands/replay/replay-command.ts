import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const replayCommand = defineCommand({
  brief: commands.replay,
  about:
    'Replays a recorded run offline, with the current agents, hooks and policies in this folder. The fixture provides the answers from\n' +
    'models, tools and people: Cadre does not call a model, write files or run commands. Only hooks run. Prints where decisions, calls\n' +
    'and texts differ from the recording. Exits with 0 when nothing differs, with 1 when something does, and with 2 when the fixture\n' +
    'cannot be used.',
  examples: [
    ['replay tests/slug.fixture.json', 'compare the run with the current agents, hooks and policies'],
    ['replay --trust tests/slug.fixture.json', 'in CI: trust the folder for this command'],
    ['replay --update tests/slug.fixture.json', 'accept the differences: write the new run to the fixture'],
    ['replay --json tests/slug.fixture.json | jq .differences', 'print the differences as JSON'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      workspace: textFlag('The folder that the agents would change; default: the current folder', 'DIR'),
      noHooks: booleanFlag('Do not run hooks'),
      update: booleanFlag('Write the current run to the fixture'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The file that "cadre record" wrote', parse: String, placeholder: 'fixture' }],
    },
  },
  load: async () => (await import('./replay.ts')).replayFixture,
})
