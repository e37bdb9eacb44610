import { defineCommand } from '../../app/command.ts'
import { flag, home, json, text } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const initCommand = defineCommand({
  brief: commands.init,
  about:
    'Writes the agents of a built-in team as files, for you to read and change: into .github/agents of the project, or into the\n' +
    'templates of the home for the team that is made of those. Files that are there already and differ are never touched\n' +
    'without --force: then nothing at all is written. Without --team it lists the teams.',
  examples: [
    ['init', 'the teams there are'],
    ['init --team supervisor', 'seven agent files, and a home that starts with the supervisor'],
    ['init --team planner --to claude', 'the same for Claude Code, in .claude/agents'],
    ['init --team coordinator --variant advanced --dry-run', 'what would be written'],
  ],
  parameters: {
    flags: {
      team: text('The team to write, as NAME or NAME/VARIANT', 'TEAM'),
      variant: text('Which form of it', 'NAME'),
      to: {
        kind: 'enum',
        values: ['copilot', 'claude', 'opencode', 'template'],
        brief: 'The dialect to write; default: the one the team is written in',
        optional: true,
      },
      home,
      dryRun: flag('Only say what would be done'),
      force: flag('Replace files that differ'),
      json,
    },
  },
  load: async () => (await import('./init.ts')).init,
})
