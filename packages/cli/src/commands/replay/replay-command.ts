import { defineCommand } from '../../app/command.ts'
import { flag, home, json, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const replayCommand = defineCommand({
  brief: commands.replay,
  about:
    'Runs a recorded run again, offline, with the current agents, hooks and policies in this folder. Models, tools and people answer\n' +
    'from the fixture: no model is called, no file is written, no command runs. Only hooks run. Prints where decisions, calls and texts\n' +
    'differ from the record. The exit code is 0 if nothing differs, 1 if something does, and 2 if the fixture cannot be used.',
  examples: [
    ['replay tests/slug.fixture.json', 'compare the run with the current agents, hooks and policies'],
    ['replay --trust tests/slug.fixture.json', 'in CI: trust the folder for this command'],
    ['replay --update tests/slug.fixture.json', 'accept the differences: write the new run to the fixture'],
    ['replay --json tests/slug.fixture.json | jq .differences', 'print the differences as JSON'],
  ],
  parameters: {
    flags: {
      home,
      workspace: text('The folder that the agents would change; default: the current folder', 'DIR'),
      noHooks: flag('Run no hooks'),
      update: flag('Write the current run to the fixture'),
      trust,
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The file that "cadre record" wrote', parse: String, placeholder: 'fixture' }],
    },
  },
  load: async () => (await import('./replay.ts')).replay,
})
