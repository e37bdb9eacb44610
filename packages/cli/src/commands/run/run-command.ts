import { defineCommand } from '../../app/command.ts'
import {
  booleanFlag,
  controlFlags,
  countFlag,
  dollarsFlag,
  gateFlags,
  homeFlag,
  jsonFlag,
  scriptAliases,
  scriptFlags,
  teamFlag,
  textFlag,
  trustFlag,
} from '../../app/flags.ts'

export const runCommand = defineCommand({
  brief: 'Run an agent on a task',
  about:
    'Runs an agent on a task and shows the tree of agents while it works. Cadre picks the agent in this order: the one you name with\n' +
    '--agent or as @NAME before the message, the entry agent of --team, "entry" in the configuration, the only agent, an agent named\n' +
    "lead, coordinator or supervisor, a plain assistant. Agents in project files take precedence over a team's agents.\n" +
    'Ctrl-C stops the whole tree; resume it with "cadre resume".',
  examples: [
    ['run "Add rate limiting to the API and prove it works"', 'show the live tree, then the report'],
    ['run --agent reviewer --model openai:gpt-5 "Review the last commit"', 'choose the agent and the model'],
    ['run "@reviewer Review src/server.js"', 'choose the agent in the message'],
    ['run --team supervisor "Make the tests faster"', 'use a built-in team'],
    [
      'run --json "List the TODOs" | tail -1 | jq -r .text',
      'print events as they happen, one JSON object per line, and the report last',
    ],
    ['run --read-only "Find out why the build is slow"', 'no agent can change anything'],
    [
      'run --allow write --no-human "Fix the typos in docs"',
      'run unattended: agents may write files, everything else that needs an approval is denied',
    ],
    ['run "Review this" < changes.diff', 'append standard input to the message'],
    ['run -q --output-schema verdict.json "Is the build reproducible?"', 'print only JSON that validates'],
    ['run - < message.md', 'read the message from standard input'],
  ],
  parameters: {
    flags: {
      agent: textFlag('The agent to run', 'AGENT'),
      team: teamFlag,
      model: textFlag('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      home: homeFlag,
      workspace: textFlag('The folder the agents may change; default: the current folder', 'DIR'),
      maxTurns: countFlag(
        'The maximum number of rounds per session; default 30. Delegated agents keep a limit of their own',
        1,
      ),
      depth: countFlag('The maximum delegation depth; default 3', 0),
      concurrency: countFlag(
        'The maximum number of delegated sessions that run at the same time; default 8',
        1,
      ),
      budgetTokens: countFlag('The maximum number of tokens for the run', 1),
      budgetCost: dollarsFlag('The maximum cost of the run'),
      noSubagents: booleanFlag('Forbid delegation in this run'),
      ...gateFlags,
      ...controlFlags,
      image: {
        ...textFlag('An image for the agent; repeatable', 'FILE'),
        variadic: true,
      },
      outputSchema: textFlag('Require an answer in JSON that validates against this JSON Schema', 'FILE'),
      ...scriptFlags,
      trust: trustFlag,
      json: jsonFlag,
    },
    aliases: scriptAliases,
    positional: {
      kind: 'array',
      parameter: {
        brief: 'What the agent should do; default: standard input. End with "-" to wait for standard input',
        parse: String,
        placeholder: 'message',
      },
    },
  },
  load: async () => (await import('./run.ts')).startRun,
})
