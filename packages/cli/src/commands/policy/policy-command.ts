import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import {
  controlFlags,
  gateFlags,
  homeFlag,
  jsonFlag,
  teamFlag,
  textFlag,
  trustFlag,
} from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const workspace = textFlag('The folder the agent works in; default: the current folder', 'DIR')

const explain = defineCommand({
  brief: 'Explain what the policy decides for a call, without running it',
  about:
    "Evaluates a call with a run's rules: the agent's tools, its boundary, the policies, the allowlist and the required\n" +
    'approvals. Does not run, ask, record or write anything; lists the hooks that would run. Exits with 0 for every decision.\n\n' +
    'DEPTH\n' +
    '  lead>builder  lead delegates to builder, and builder to the agent; also lead,builder or lead/builder\n' +
    '  2             the agent is two delegations below an entry agent\n' +
    '  default       the agent is the entry agent or, if users may not start it, a delegate\n\n' +
    'With --json: {"decision": "allow"|"ask"|"deny", "by", "rule", "reason", "risk"?, "reasons"?, "commands"?, "paths"?, "hooks"?,\n' +
    '"input"?, "chain"}.',
  examples: [
    [
      `policy explain --agent builder --tool execute_command --input '{"command": "git push"}'`,
      'check whether builder may push',
    ],
    [
      `policy explain --agent builder --tool write_file --input @call.json --depth lead`,
      "check a delegate's call",
    ],
  ],
  parameters: {
    flags: {
      agent: textFlag('The agent that makes the call; default: the entry agent', 'AGENT'),
      tool: {
        kind: 'parsed',
        parse: String,
        brief: 'The name of a tool, in Cadre or in another program: execute_command, Bash, …',
        placeholder: 'TOOL',
      },
      input: textFlag("The tool's arguments: JSON, @FILE, or - for standard input; default: none", 'JSON'),
      depth: textFlag('The chain of agents above this agent, or its length', 'CHAIN'),
      ...gateFlags,
      ...controlFlags,
      workspace,
      team: teamFlag,
      home: homeFlag,
      trust: trustFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./policy-explain.ts')).explainPolicy,
})

const test = defineCommand({
  brief: 'Test the policy against a table of calls and expected decisions',
  about:
    'Evaluates every call in a table like "cadre policy explain" and compares the decision. A table is a YAML file with a list of\n' +
    'calls, or with `calls` and `defaults` for all of them. Each call has `tool`, `input` and `expect` (allow, ask or deny), and may\n' +
    'have `agent`, `depth`, `by`, `rule` (* matches anything), `risk` and `because`. Exits with 0 when all calls match, with 1 when\n' +
    'one does not, and with 2 when a table is invalid.',
  examples: [
    ['policy test policy.yaml', 'print each mismatch with its line'],
    ['policy test policy/*.yaml --json', 'print JSON, for CI'],
  ],
  parameters: {
    flags: {
      ...gateFlags,
      ...controlFlags,
      workspace,
      team: teamFlag,
      home: homeFlag,
      trust: trustFlag,
      json: jsonFlag,
    },
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
    fullDescription: `${commands.policy}.\n\nEXAMPLES\n  cadre policy explain --tool write_file --input '{"path": "a.txt", "content": ""}'\n    show what the policy decides for this call`,
  },
})
