import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { controlFlags, gateFlags, home, json, team, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const workspace = text('The folder the agent works in; default: the current one', 'DIR')

const explain = defineCommand({
  brief: 'What would be decided about a call, by whom and why, without running anything',
  about:
    'Judges a call by the rules of a run: the tools of the agent, its boundary, the policies, the allowlist, the approvals it would\n' +
    'need. Nothing is run, asked, recorded or written; hooks that would be asked are named. Ends with 0 whatever the decision.\n\n' +
    'DEPTH\n' +
    '  lead>builder  the agent is started by builder, which is started by lead; also lead,builder or lead/builder\n' +
    '  2             two delegations below an agent that a person starts, if the agents permit that\n' +
    '  without it a person starts the agent; one that only agents may start is looked at below those\n\n' +
    'With --json: {"decision": "allow"|"ask"|"deny", "by", "rule", "reason", "risk"?, "reasons"?, "commands"?, "paths"?, "hooks"?,\n' +
    '"input"?, "chain"}.',
  examples: [
    [
      `policy explain --agent builder --tool execute_command --input '{"command": "git push"}'`,
      'may builder push?',
    ],
    [
      `policy explain --agent builder --tool write_file --input @call.json --depth lead`,
      'the same question for a delegate',
    ],
  ],
  parameters: {
    flags: {
      agent: text('The agent that makes the call; default: the one a run starts with', 'AGENT'),
      tool: {
        kind: 'parsed',
        parse: String,
        brief: 'The tool, by its name in any dialect',
        placeholder: 'TOOL',
      },
      input: text('Its arguments: JSON, @FILE, or - for standard input; default: none', 'JSON'),
      depth: text('Who is above the agent, or how many are', 'CHAIN'),
      ...gateFlags,
      ...controlFlags,
      workspace,
      team,
      home,
      trust,
      json,
    },
  },
  load: async () => (await import('./policy-explain.ts')).explain,
})

const test = defineCommand({
  brief: 'Check a table of calls and of what is to be decided about them',
  about:
    'Judges every call of a table as `cadre policy explain` does, and compares. A table is YAML: a list of calls, or `calls` below\n' +
    '`defaults` for all of them. Each call has `tool`, `input` and `expect` (allow, ask or deny), and may have `agent`, `depth`,\n' +
    '`by`, `rule` (with * for anything), `risk` and `because`. Ends with 0 when all are as expected, with 1 when one is not, and\n' +
    'with 2 when a table is wrong.',
  examples: [
    ['policy test policy.yaml', 'prints what is not as expected, with its line'],
    ['policy test policy/*.yaml --json', 'for a build'],
  ],
  parameters: {
    flags: { ...gateFlags, ...controlFlags, workspace, team, home, trust, json },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: { brief: 'Tables of calls', parse: String, placeholder: 'file' },
    },
  },
  load: async () => (await import('./policy-test.ts')).testPolicy,
})

export const policyRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, { explain, test }),
  docs: {
    brief: commands.policy,
    fullDescription: `${commands.policy}.\n\nEXAMPLES\n  cadre policy explain --tool write_file --input '{"path": "a.txt", "content": ""}'\n    what would be decided about it`,
  },
})
