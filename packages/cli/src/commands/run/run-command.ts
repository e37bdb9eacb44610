import { defineCommand } from '../../app/command.ts'
import {
  controlFlags,
  count,
  dollars,
  flag,
  gateFlags,
  home,
  json,
  team,
  text,
  trust,
} from '../../app/flags.ts'

export const runCommand = defineCommand({
  brief: 'Have an agent do a piece of work',
  about:
    'Starts an agent on a piece of work and shows the tree of agents while it goes on. The agent is the one you name, with\n' +
    '--agent or as @NAME before the work, else the one the named team starts with, else the "entry" of the configuration, else\n' +
    'the only one there is, else lead, coordinator or supervisor, else a plain assistant. Files of the project come before\n' +
    'agents of a team.\n' +
    'Ctrl-C stops the whole tree; `cadre resume` continues it.',
  examples: [
    ['run "Add rate limiting to the API and prove it works"', 'one request, the live tree, the report'],
    [
      'run --agent reviewer --model openai:gpt-5 "Review the last commit"',
      'with an agent and a model of your choice',
    ],
    ['run "@reviewer Review src/server.js"', 'the same agent, addressed in the work'],
    ['run --team supervisor "Make the tests faster"', 'with a team that is built in'],
    [
      'run --json "List the TODOs" | tail -1 | jq -r .text',
      'events as they happen, one JSON object a line, the report last',
    ],
    ['run --read-only "Find out why the build is slow"', 'the whole tree of agents only looks'],
    ['run --allow write --no-human "Fix the typos in docs"', 'unattended: writes, and is refused the rest'],
    ['run - < work.md', 'the work from standard input'],
  ],
  parameters: {
    flags: {
      agent: text('The agent to start', 'AGENT'),
      team,
      model: text('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      home,
      workspace: text('The folder the agents may change; default: the current one', 'DIR'),
      maxTurns: count(
        'The most rounds a session may take, where its agent sets no limit of its own; default 30',
        1,
      ),
      depth: count('How deep delegations may go; default 3', 0),
      concurrency: count('How many delegated sessions may work at once; default 8', 1),
      budgetTokens: count('The most tokens the run may use', 1),
      budgetCost: dollars('The most the run may cost'),
      noSubagents: flag('Nobody in this run may delegate'),
      ...gateFlags,
      ...controlFlags,
      image: {
        ...text('An image for the agent to look at; may be given several times', 'FILE'),
        variadic: true,
      },
      trust,
      json,
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'The work, in your own words; - reads it from standard input',
        parse: String,
        placeholder: 'work',
      },
      minimum: 1,
    },
  },
  load: async () => (await import('./run.ts')).run,
})
