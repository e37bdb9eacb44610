import { defineCommand } from '../../app/command.ts'
import { flag, home, json, text } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const lintCommand = defineCommand({
  brief: commands.lint,
  about:
    'Looks at every agent file below a folder, whatever program it was written for: what is wrong with it, where, what to do\n' +
    'about it, and what each program that reads such files would ignore or read differently. Ends with 1 when there is an\n' +
    'error or a host you ask about rejects a file, with --strict also when there is a warning, and with 0 otherwise. With\n' +
    '--fix it puts right what can be put right without changing what an agent may do.\n\n' +
    'WHERE AGENTS ARE LOOKED FOR\n' +
    '  .github/agents, .github/chatmodes, .claude/agents, .opencode/agent(s), .vscode/settings.json of the project\n' +
    '  ~/.copilot/agents, ~/.claude/agents, ~/.config/opencode/agent(s) of the user\n' +
    '  templates in the home folder of cadre\n' +
    '  and, by lint alone: agents of plugins (.claude-plugin), .cursor, .gemini, .kiro and .qwen/agents, and *.agent.md,\n' +
    '  *.chatmode.md, *.agent.yaml anywhere below the folder; anything else that you name, and all of a folder called agents',
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
      fix: flag('Put right what is safe to put right, and show what was changed'),
      dryRun: flag('With --fix: show the changes, write nothing'),
      host: text(
        'Only for these: vscode, copilot-harness, copilot-cli, github, claude, opencode; several with commas',
        'HOST',
      ),
      strict: flag('End with 1 when there is a warning, too'),
      level: {
        kind: 'enum',
        values: ['error', 'warning', 'info'],
        brief: 'The least to show; what is below is counted. Default: warning. --json always has everything',
        optional: true,
      },
      quiet: flag('Only errors: the same as --level error'),
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
  load: async () => (await import('./lint.ts')).lint,
})
