import { defineCommand } from '../../app/command.ts'
import { flag, home, json, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const id = {
  brief: 'The id of the approval, or its beginning or end; `cadre approvals` lists them',
  parse: String,
  placeholder: 'approval',
} as const

export const approvalsCommand = defineCommand({
  brief: commands.approvals,
  about:
    'What waits for your decision, the oldest first. What was decided in files (`[x]` or `[-]` in tasks/approvals.task.md,\n' +
    '`Decision:` in approvals/pending/) is taken up. With --json: a list of {id, session, call, agent, type, action, risk,\n' +
    'reasons, created, status}; what was decided also has decidedBy, decidedAt and, where one was given, reason.',
  examples: [
    ['approvals', 'what waits, with the whole action of each'],
    ['approvals --all', 'also what was decided, by whom and when'],
    ['approvals --json | jq -r ".[].id"', 'the ids alone'],
  ],
  parameters: { flags: { home, all: flag('Also those that were decided'), trust, json } },
  load: async () => (await import('./approvals.ts')).listApprovals,
})

export const approveCommand = defineCommand({
  brief: commands.approve,
  examples: [
    ['approve approval-1759622866331-8228eefd', 'this once'],
    ['approve 8228eefd --session', 'the same again, for the rest of its session'],
    [
      'approve 8228eefd --rule',
      'such commands from now on: shows the line for the allowlist, asks, writes it, and approves',
    ],
    ['approve 8228eefd --done', 'an interrupted call was carried out; without --done it is run again'],
  ],
  parameters: {
    flags: {
      home,
      session: flag('Also what is like it, for the rest of the session'),
      rule: flag('Also commands that begin like it, from now on: adds a line to the allowlist of the home'),
      yes: flag('Write the rule without asking'),
      done: flag('Of an interrupted call: it was carried out, do not run it again'),
      trust,
      json,
    },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./approve.ts')).approve,
})

export const rejectCommand = defineCommand({
  brief: commands.reject,
  examples: [
    [
      'reject 8228eefd --reason "Use the staging server."',
      'the agent gets the reason and goes on without it',
    ],
  ],
  parameters: {
    flags: { home, reason: text('Why; the agent is told', 'TEXT'), trust, json },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./reject.ts')).reject,
})
