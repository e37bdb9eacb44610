import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const lintCommand = defineCommand({
  brief: commands.lint,
  about:
    'Checks every agent file below a folder, for any host. Reports each problem with its line and a fix, and the keys that hosts ignore\n' +
    'or read differently. Exits with 1 if there is an error or a host named by --host rejects a file, and with --strict also on\n' +
    'warnings. Otherwise exits with 0. --fix applies only fixes that do not change what an agent may do.\n\n' +
    'SEARCHED FOLDERS\n' +
    '  project: .github/agents, .github/chatmodes, .claude/agents, .opencode/agent(s), .vscode/settings.json\n' +
    '  user: ~/.copilot/agents, ~/.claude/agents, ~/.config/opencode/agent(s), VS Code user settings\n' +
    "  Cadre's home directory: templates\n" +
    '  only lint: plugin agents (.claude-plugin), .cursor, .gemini, .kiro and .qwen/agents, and *.agent.md, *.chatmode.md,\n' +
    '  *.agent.yaml anywhere below the folder; any file that you name, and all files in a folder called agents',
  examples: [
    ['lint', 'check all agents in the project'],
    ['lint .github/agents --fix --dry-run', 'show what --fix would change'],
    ['lint --host copilot-cli,github', 'check the files for these two hosts'],
    [
      `lint --json | jq -r '.files[] | select(.status != "ok") | .path'`,
      'files with errors that Cadre had to work around',
    ],
  ],
  parameters: {
    flags: {
      fix: booleanFlag('Apply safe fixes and show the changes'),
      dryRun: booleanFlag('With --fix: show the changes without writing them'),
      host: textFlag(
        'Check only for these hosts, separated by commas: vscode, copilot-harness, copilot-cli, github, claude, opencode',
        'HOST',
      ),
      strict: booleanFlag('Also exit with 1 on warnings'),
      level: {
        kind: 'enum',
        values: ['error', 'warning', 'info'],
        brief: 'The lowest severity to show; others are only counted. Default: warning. --json includes all',
        optional: true,
      },
      quiet: booleanFlag('Show only errors; same as --level error'),
      home: homeFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'Folders or files to check; default: the project',
        parse: String,
        placeholder: 'path',
      },
    },
  },
  load: async () => (await import('./lint.ts')).lintAgents,
})
