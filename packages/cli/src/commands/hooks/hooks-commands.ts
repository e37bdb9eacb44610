import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { home, json, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const list = defineCommand({
  brief:
    'The hooks that are found here, where each comes from, whether it is run, and what is wrong with them',
  about:
    'Hooks of .github/hooks, .github/copilot, .claude, ~/.copilot, ~/.claude, of agents, and of the administrator\n' +
    '(/etc/cadre/hooks.d), each with the place it is written at, the dialect by whose rules it is run, and why it is not run\n' +
    'where it is not. Runs nothing. With --json: {"hooks": […], "files": […], "diagnostics": […]}.',
  examples: [
    ['hooks list', 'a table'],
    [`hooks list --json | jq -r '.hooks[] | select(.run | not) | .reason'`, 'why some are not run'],
  ],
  parameters: { flags: { home, trust, json } },
  load: async () => (await import('./hooks-list.ts')).listHooks,
})

const test = defineCommand({
  brief: 'Run the hooks of an event for real, with a sample of it, and show what they decide',
  about:
    'Feeds a sample of the event to the hooks that fit it and shows what each was told, how it ended, what it printed and what\n' +
    'that means. The hooks are really run; the tool is not. Hooks of a folder that is not trusted are run with --trust, or when\n' +
    'you name their file. Ends with 0 whatever they decide.\n' +
    'With --json: {"event", "decision", "hooks": [{"path", "line", "payload", "exitCode", "stdout", "stderr", "answer"}], "notRun"}.',
  examples: [
    [`hooks test PreToolUse --tool Bash --input '{"command":"git push"}'`, 'what hooks say about a push'],
    ['hooks test Stop --file .claude/settings.json', 'the hooks of one file'],
    ['hooks test SubagentStop --agent reviewer --json', 'for machines'],
  ],
  parameters: {
    flags: {
      tool: text('The tool, by any name of any dialect; default: execute_command', 'TOOL'),
      input: text('Its arguments', 'JSON'),
      agent: text('The agent that makes the call, starts or ends; default: assistant', 'AGENT'),
      file: text('Only the hooks of this file', 'FILE'),
      home,
      trust,
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The event, in either spelling', parse: String, placeholder: 'event' }],
    },
  },
  load: async () => (await import('./hooks-test.ts')).testHooks,
})

export const hooksRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, { list, test }),
  docs: {
    brief: commands.hooks,
    fullDescription: `${commands.hooks}.\n\nEXAMPLES\n  cadre hooks list\n    a table of all hooks`,
  },
})
