import { defineCommand } from '../../app/command.ts'
import { booleanFlag, homeFlag, jsonFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const id = {
  brief: 'The approval id, or the first or last characters of the id; list ids with "cadre approvals"',
  parse: String,
  placeholder: 'approval',
} as const

export const approvalsCommand = defineCommand({
  brief: commands.approvals,
  about:
    'Lists pending approvals, oldest first. Also applies decisions made in files: `[x]` or `[-]` in tasks/approvals.task.md, and\n' +
    '`Decision:` in approvals/pending/. With --json: a list of {id, session, call, agent, type, action, risk, reasons, created,\n' +
    'status}; decided approvals also have decidedBy, decidedAt and, if there is one, reason. Approvals that need several people\n' +
    'also have needed: {quorum, roles, notByStarter} and votes: [{by, via, decision, at}].',
  examples: [
    ['approvals', 'pending approvals, each with its full action'],
    ['approvals --all', 'include decided approvals, with who decided them and when'],
    ['approvals --json | jq -r ".[].id"', 'only the ids'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      all: booleanFlag('Include decided approvals'),
      trust: trustFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./approvals.ts')).listApprovals,
})

export const approveCommand = defineCommand({
  brief: commands.approve,
  examples: [
    ['approve approval-1759622866331-8228eefd', 'approve it once'],
    ['approve 8228eefd --session', 'also approve similar calls for the rest of the session'],
    [
      'approve 8228eefd --rule',
      'also approve commands that start the same way from now on; Cadre shows the new allowlist line and asks before writing it',
    ],
    ['approve 8228eefd --done', 'the interrupted call took effect; without --done it runs again'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      session: booleanFlag('Also approve similar calls for the rest of the session'),
      rule: booleanFlag(
        'Also approve commands that start the same way from now on: adds a line to the allowlist in the home directory',
      ),
      yes: booleanFlag('Write the rule without asking'),
      done: booleanFlag('For an interrupted call: it took effect, so do not run it again'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./approve.ts')).approveCall,
})

export const rejectCommand = defineCommand({
  brief: commands.reject,
  examples: [
    [
      'reject 8228eefd --reason "Use the staging server."',
      'the agent receives the reason and continues without the call',
    ],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      reason: textFlag('The reason to give the agent', 'TEXT'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./reject.ts')).rejectCall,
})
