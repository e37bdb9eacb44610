import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { flag, home, json, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'
import { resumeCommand } from '../run/resume-command.ts'

const id = {
  brief: 'The id of the session, or its beginning',
  parse: String,
  placeholder: 'session',
} as const

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
  load: async () => (await import('./sessions-list.ts')).listSessions,
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
  load: async () => (await import('./sessions-show.ts')).showSession,
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
  load: async () => (await import('./sessions-tree.ts')).showTree,
})

const cancel = defineCommand({
  brief: 'Stop a session that runs in another process, and everything below it',
  about:
    'Stops a session and everything below it. The first session of a run stops the whole run, which can be resumed; any\n' +
    'other one stops alone, and the agent that delegated to it goes on without it.',
  examples: [['sessions cancel researcher-9x1', 'the rest of the run goes on']],
  parameters: { flags: { home, trust, json }, positional: { kind: 'tuple', parameters: [id] } },
  load: async () => (await import('./sessions-cancel.ts')).cancelSession,
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
    flags: { home, reason: text('Why; the agent is told', 'TEXT'), trust, json },
    positional: {
      kind: 'tuple',
      parameters: [
        id,
        { brief: 'The name of the question', parse: String, placeholder: 'question' },
        { brief: 'One of its choices', parse: String, placeholder: 'decision' },
      ],
    },
  },
  load: async () => (await import('./sessions-answer.ts')).answerQuestion,
})

const exportLog = defineCommand({
  brief: 'Write a session as a chat log: what was said and done, in Markdown',
  about:
    'Writes what was said and done in a session as a chat log, a Markdown file with an entry for each message, call and result.\n' +
    'Pictures, costs and what the model did not see are left out.',
  examples: [
    ['sessions export lead-4k2', 'on standard output'],
    ['sessions export lead-4k2 --out lead.agent.md', 'into a file'],
  ],
  parameters: {
    flags: {
      home,
      out: text('The file to write; default: standard output', 'FILE'),
      format: {
        kind: 'enum',
        values: ['chat-log'],
        brief: 'The form of the file; there is one',
        placeholder: 'FORMAT',
        optional: true,
      },
      force: flag('Replace a file that is there'),
      json,
    },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./sessions-export.ts')).exportSession,
})

const importLog = defineCommand({
  brief: 'Make a session from a chat log, so that it can be continued',
  about:
    'Makes a session from a chat log (a file that begins with "# Agent: NAME"), with everything said in it as its history. Calls in\n' +
    'it are not carried out again. The agent of that name continues it; without one the prompt of the log does, without tools.',
  examples: [['sessions import .cadre/agents/planner-001.agent.md', 'says which session it became']],
  parameters: {
    flags: {
      home,
      workspace: text('The folder the agent may change; default: the current one', 'DIR'),
      trust,
      json,
    },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The chat log', parse: String, placeholder: 'file' }],
    },
  },
  load: async () => (await import('./sessions-import.ts')).importSession,
})

export const sessionsRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, {
    list,
    show,
    tree,
    resume: resumeCommand,
    cancel,
    answer,
    export: exportLog,
    import: importLog,
  }),
  docs: {
    brief: commands.sessions,
    fullDescription: `${commands.sessions}.\n\nEXAMPLES\n  cadre sessions list\n    all sessions, the newest first`,
  },
})
