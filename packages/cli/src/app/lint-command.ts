import { commands } from '../commands.ts'
import { defineCommand } from './command.ts'
import { home, json, text } from './flags.ts'

export const lintCommand = defineCommand({
  brief: commands.lint,
  about:
    'Looks at every agent file below a folder, whatever program it was written for: what is wrong with it, where, what to do\n' +
    'about it, and what each program that reads such files would ignore or read differently. Ends with 1 when there is an\n' +
    'error, and with 0 otherwise. With --fix it puts right what can be put right without changing what an agent may do.',
  examples: [
    ['lint', 'every agent of the project'],
    ['lint .github/agents --fix --dry-run', 'shows what --fix would change'],
    ['lint --host copilot-cli,github', 'what these two make of the files'],
    [
      `lint --json | jq -r '.files[] | select(.status != "ok") | .path'`,
      'files that could not be read as they are',
    ],
  ],
  parameters: {
    flags: {
      fix: {
        kind: 'boolean',
        brief: 'Put right what is safe to put right, and show what was changed',
        optional: true,
        withNegated: false,
      },
      dryRun: {
        kind: 'boolean',
        brief: 'With --fix: show the changes, write nothing',
        optional: true,
        withNegated: false,
      },
      host: text(
        'Only for these: vscode, copilot-harness, copilot-cli, github, claude, opencode; several with commas',
        'HOST',
      ),
      home,
      json,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'Folders to look through, or files; default: the project',
        parse: String,
        placeholder: 'path',
      },
    },
  },
  load: async () => (await import('../commands/lint.ts')).lint,
})
