import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const initCommand = defineCommand({
  brief: commands.init,
  about:
    "Writes a built-in team's agents as files that you can change: to the project's .github/agents or, for a team of templates, to\n" +
    'templates/ in the home directory. If a file already exists and differs, Cadre writes nothing, unless you add --force.\n' +
    'The team supervisor includes hooks that enforce its roles in Claude Code, Copilot CLI and VS Code, a script that tests the\n' +
    'hooks, and a checklist with test commands for the project. Hooks are added to an existing .claude/settings.json.\n' +
    'Without --team, lists the teams.',
  examples: [
    ['init', 'list the built-in teams'],
    [
      'init --team supervisor',
      'write seven agent files, and a home directory with supervisor as the entry agent',
    ],
    ['init --team planner --to claude', 'write agents for Claude Code to .claude/agents'],
    ['init --team supervisor --to claude', 'also add hooks to .claude/settings.json'],
    ['init --team coordinator --variant advanced --dry-run', 'show what would be written'],
  ],
  parameters: {
    flags: {
      team: textFlag('The team to write, as NAME or NAME/VARIANT', 'TEAM'),
      variant: textFlag("The team's variant", 'NAME'),
      to: {
        kind: 'enum',
        values: ['copilot', 'vscode', 'claude', 'opencode', 'template'],
        brief: "The program or dialect to write for; default: the team's dialect",
        optional: true,
      },
      home: homeFlag,
      dryRun: booleanFlag('Show what would be written, without writing it'),
      force: booleanFlag('Replace existing files that differ'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./init.ts')).initProject,
})
