import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { homeFlag, jsonFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const list = defineCommand({
  brief: 'List hooks, their source, whether they run, and their problems',
  about:
    'Lists the hooks in .github/hooks, .github/copilot, .claude, ~/.copilot, ~/.claude, in agent files, and in /etc/cadre/hooks.d\n' +
    '(for administrators), each with its file, line and dialect and, if it does not run, the reason. Does not run hooks.\n' +
    'With --json: {"hooks": […], "files": […], "diagnostics": […]}.',
  examples: [
    ['hooks list', 'a table'],
    [`hooks list --json | jq -r '.hooks[] | select(.run | not) | .reason'`, 'why some hooks do not run'],
  ],
  parameters: { flags: { home: homeFlag, trust: trustFlag, json: jsonFlag } },
  load: async () => (await import('./hooks-list.ts')).listHooks,
})

const test = defineCommand({
  brief: 'Run the hooks for a sample event, and show their decisions',
  about:
    'Runs the matching hooks with a sample event and shows the input, exit code, output and meaning for each. The hooks really run;\n' +
    'the tool does not. Hooks in an untrusted folder run only with --trust, or when you name their file. Exits with 0 for every\n' +
    'decision.\n' +
    'With --json: {"event", "decision", "hooks": [{"path", "line", "payload", "exitCode", "stdout", "stderr", "answer"}], "notRun"}.',
  examples: [
    [
      `hooks test PreToolUse --tool Bash --input '{"command":"git push"}'`,
      'show what the hooks decide for a push',
    ],
    ['hooks test Stop --file .claude/settings.json', 'the hooks in one file'],
    ['hooks test SubagentStop --agent reviewer --json', 'print JSON'],
  ],
  parameters: {
    flags: {
      tool: textFlag(
        'The name of a tool, in Cadre or in another program: execute_command, Bash; default: execute_command',
        'TOOL',
      ),
      input: textFlag('The arguments for the tool', 'JSON'),
      agent: textFlag('The agent that the event is about; default: assistant', 'AGENT'),
      file: textFlag('Only the hooks in this file', 'FILE'),
      home: homeFlag,
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'The event, such as PreToolUse or preToolUse', parse: String, placeholder: 'event' },
      ],
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
