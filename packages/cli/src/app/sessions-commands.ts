import { buildRouteMap } from '@stricli/core'
import { commands } from '../commands.ts'
import { defineCommand } from './command.ts'
import { flag, home, json, text } from './flags.ts'
import { resumeCommand } from './resume-command.ts'

const id = { brief: 'The id of the session, or its beginning', parse: String, placeholder: 'id' } as const

const list = defineCommand({
  brief: 'All sessions, the newest first',
  examples: [
    ['sessions list', 'a table'],
    ['sessions list --roots', 'only those a person has started, not those they delegated to'],
    ['sessions list --json | jq -r ".[0].id"', 'the id of the newest'],
  ],
  parameters: {
    flags: {
      home,
      roots: flag('Only sessions that a person has started'),
      json,
    },
  },
  load: async () => (await import('../commands/sessions-list.ts')).listSessions,
})

const show = defineCommand({
  brief: 'One session: its rounds, its calls with their outcomes, its report',
  about:
    'One session: its rounds, its calls with their outcomes, its report. With --json: one object with `session` (id, agent,\n' +
    'parent, root, model, status, outcome, created, updated, workspace, work, path), `entries` (the journal as it stands in\n' +
    'the file) and `report` (null while there is none).',
  examples: [
    ['sessions show lead-4k2', 'what happened, round by round'],
    ['sessions show lead-4k2 --json | jq .report.usage', 'what it cost'],
  ],
  parameters: { flags: { home, json }, positional: { kind: 'tuple', parameters: [id] } },
  load: async () => (await import('../commands/sessions-show.ts')).showSession,
})

const tree = defineCommand({
  brief: 'The tree of a run: its sessions, their rounds and calls, and who was started by which',
  about:
    'The sessions of a run with their state and usage; below each its rounds and their calls, and below a call the session it\n' +
    'has started. ✓ done  ✗ failed or refused  ■ cancelled, or stopped on its way  ? waits for a decision  ! in doubt  ● running\n' +
    '○ not begun, or told after a decision that is waited for.\n' +
    'With --json: the tree of sessions, and `agentRounds`, the tree of rounds.',
  examples: [
    ['sessions tree', 'of the newest run'],
    ['sessions tree lead-4k2', 'of the run this session belongs to'],
    ['sessions tree --sessions', 'one line for each session, without its rounds'],
  ],
  parameters: {
    flags: {
      home,
      sessions: flag('Only the sessions, one line each, without their rounds'),
      json,
    },
    positional: { kind: 'tuple', parameters: [{ ...id, optional: true }] },
  },
  load: async () => (await import('../commands/sessions-tree.ts')).showTree,
})

const cancel = defineCommand({
  brief: 'Stop a session that runs in another process, and everything below it',
  about:
    'Stops a session and everything below it. The first session of a run stops the whole run, which can be resumed; any\n' +
    'other one stops alone, and the agent that delegated to it goes on without it.',
  examples: [['sessions cancel researcher-9x1', 'the rest of the run goes on']],
  parameters: { flags: { home, json }, positional: { kind: 'tuple', parameters: [id] } },
  load: async () => (await import('../commands/sessions-cancel.ts')).cancelSession,
})

const answer = defineCommand({
  brief: 'Answer a question that a session waits for',
  examples: [
    [
      'sessions answer lead-4k2 approval/call_1 approve',
      'the call is carried out once the session is resumed',
    ],
    ['sessions answer lead-4k2 approval/call_1 reject --reason "Not on Fridays"', 'the agent is told why'],
  ],
  parameters: {
    flags: { home, reason: text('Why; the agent is told', 'TEXT'), json },
    positional: {
      kind: 'tuple',
      parameters: [
        id,
        { brief: 'The name of the question', parse: String, placeholder: 'question' },
        { brief: 'One of its choices', parse: String, placeholder: 'decision' },
      ],
    },
  },
  load: async () => (await import('../commands/sessions-answer.ts')).answerQuestion,
})

export const sessionsRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, {
    list,
    show,
    tree,
    resume: resumeCommand,
    cancel,
    answer,
  }),
  docs: {
    brief: commands.sessions,
    fullDescription: `${commands.sessions}.\n\nEXAMPLES\n  cadre sessions list\n    all sessions, the newest first`,
  },
})
