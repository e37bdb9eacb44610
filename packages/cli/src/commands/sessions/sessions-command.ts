import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import {
  booleanFlag,
  controlFlags,
  countFlag,
  gateFlags,
  homeFlag,
  jsonFlag,
  scriptAliases,
  scriptFlags,
  textFlag,
  trustFlag,
} from '../../app/flags.ts'
import { commands } from '../../commands.ts'
import { resumeCommand } from '../run/resume-command.ts'

const id = {
  brief: 'The session id, or the first characters of the id',
  parse: String,
  placeholder: 'session',
} as const

const list = defineCommand({
  brief: 'List sessions, newest first',
  examples: [
    ['sessions list', 'a table'],
    ['sessions list --roots', 'only sessions that a user started, without delegated ones'],
    ['sessions list --json | jq -r ".[0].id"', 'the id of the most recent session'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      roots: booleanFlag('Only sessions that a user started'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./sessions-list.ts')).listSessions,
})

const show = defineCommand({
  brief: 'Show a session: its rounds, calls, outcomes and report',
  about:
    'Shows a session: its rounds, calls, outcomes and report. With --json: one object with `session` (id, agent, parent, root,\n' +
    'model, status, outcome, created, updated, workspace, work, path), `entries` (the journal as in the file) and `report` (null\n' +
    'until there is one).',
  examples: [
    ['sessions show lead-4k2', 'show every round'],
    ['sessions show lead-4k2 --json | jq .report.usage', 'show its usage'],
  ],
  parameters: { flags: { home: homeFlag, json: jsonFlag }, positional: { kind: 'tuple', parameters: [id] } },
  load: async () => (await import('./sessions-show.ts')).showSession,
})

const tree = defineCommand({
  brief: 'Show the tree of a run: its sessions, their rounds and calls',
  about:
    'Shows the sessions in a run with their state and usage, the rounds and calls of each, and the sessions that these calls started.\n' +
    '✓ done  ✗ failed or refused  ■ cancelled, stopped or paused  ? waiting for a decision  ! in doubt  ● running\n' +
    '○ not started, or ended and not recorded yet, because another call is waiting for a decision.\n' +
    'With --json: the tree of sessions, and `agentRounds`, the tree of rounds.',
  examples: [
    ['sessions tree', 'show the most recent run'],
    ['sessions tree lead-4k2', 'show the run that this session belongs to'],
    ['sessions tree --sessions', 'show one line per session, without rounds'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      sessions: booleanFlag('Show one line per session, without rounds'),
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [{ ...id, optional: true }] },
  },
  load: async () => (await import('./sessions-tree.ts')).showTree,
})

const cancel = defineCommand({
  brief: 'Cancel a session that runs in another process, and all sessions below it',
  about:
    'Cancels a session and all sessions below it. Cancelling the entry session stops the whole run, which you can resume. If\n' +
    'you cancel another session, the agent that delegated to it continues without it. If no worker\n' +
    'or Restate server answers, the request is stored. It also cancels a session that waits to be started.\n' +
    'With --json: {"type": "cancel", "session", "cancelled", "queued"?: the request is stored until a worker can take it, "message"}.',
  examples: [['sessions cancel researcher-9x1', 'the rest of the run continues']],
  parameters: {
    flags: { home: homeFlag, trust: trustFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./sessions-cancel.ts')).cancelSession,
})

const answer = defineCommand({
  brief: "Answer a session's open question",
  examples: [
    ['sessions answer lead-4k2 approval/call_1 approve', 'the call runs when the session is resumed'],
    [
      'sessions answer lead-4k2 approval/call_1 reject --reason "Not on Fridays"',
      'reject the call; the agent receives the reason',
    ],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      reason: textFlag('The reason to give the agent', 'TEXT'),
      trust: trustFlag,
      json: jsonFlag,
    },
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

const seq = {
  brief: 'The number of an entry; "cadre sessions show ID --json" lists them',
  parse: countFlag('', 1).parse,
  placeholder: 'entry',
} as const

const rewind = defineCommand({
  brief: 'Remove an entry from a session, and everything after it',
  about:
    'Removes an entry from the session file, and everything after it. The rest of the file does not change, except for the status in the\n' +
    'header. If the entry is in the middle of a round whose calls have run, Cadre removes the whole round, so that no call runs twice.\n' +
    'The command lists the files, commits and sessions that the removed calls created, but does not change them. To undo file changes,\n' +
    'use "cadre workspace rollback" or "cadre undo".\n' +
    'With --json: {session, seq, removed, children, commits, files, dryRun}.',
  examples: [
    ['sessions rewind lead-4k2 12 --dry-run', 'show what would be removed, and what would be kept'],
    ['sessions rewind lead-4k2 12', 'remove entry 12 and everything after it'],
    ['resume lead-4k2', 'continue from there'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      dryRun: booleanFlag('Show what would happen without changing anything'),
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [id, seq] },
  },
  load: async () => (await import('./sessions-rewind.ts')).rewindToEntry,
})

const fork = defineCommand({
  brief: 'Start a new session with the conversation before an entry',
  about:
    'Starts a new session with the conversation before an entry, and a new message. The original session does not change. The new one\n' +
    'works with the files as they are now: in the same folder or, if the original session has its own workspace, in the folder that the\n' +
    'workspace was created from.',
  examples: [
    ['sessions fork lead-4k2 12 "Use SQLite instead"', 'try another approach from there'],
    ['sessions fork lead-4k2 12 --agent reviewer "Is this plan good?"', 'ask another agent'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      agent: textFlag("The new session's agent; default: the original session's agent", 'AGENT'),
      model: textFlag('The model, as BACKEND:NAME', 'MODEL'),
      ...gateFlags,
      ...controlFlags,
      ...scriptFlags,
      trust: trustFlag,
      json: jsonFlag,
    },
    aliases: scriptAliases,
    positional: {
      kind: 'tuple',
      parameters: [
        id,
        seq,
        {
          brief: 'The message for the agent; - reads it from standard input',
          parse: String,
          placeholder: 'message',
        },
      ],
    },
  },
  load: async () => (await import('./sessions-fork.ts')).forkSession,
})

const exportLog = defineCommand({
  brief: 'Export a session as a chat log in Markdown',
  about:
    'Exports a session as a chat log: a Markdown file with an entry for each message, call and result. Omits images, costs and\n' +
    'anything the model did not see.',
  examples: [
    ['sessions export lead-4k2', 'print to standard output'],
    ['sessions export lead-4k2 --out lead.agent.md', 'write to a file'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      out: textFlag('The file to write; default: standard output', 'FILE'),
      format: {
        kind: 'enum',
        values: ['chat-log'],
        brief: 'The file format. Only chat-log is supported (default: chat-log)',
        placeholder: 'FORMAT',
        optional: true,
      },
      force: booleanFlag('Replace an existing file'),
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [id] },
  },
  load: async () => (await import('./sessions-export.ts')).exportSession,
})

const importLog = defineCommand({
  brief: 'Import a chat log as a session that you can resume',
  about:
    'Creates a session from a chat log (a file that starts with "# Agent: NAME"), with its messages as the history. Calls in the log\n' +
    "do not run again. The agent with that name continues the session; if there is none, Cadre uses the log's prompt, without tools.",
  examples: [
    ['sessions import .cadre/agents/planner-001.agent.md', "import the log and print the session's id"],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      workspace: textFlag('The folder the agent may change; default: the current folder', 'DIR'),
      trust: trustFlag,
      json: jsonFlag,
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
    rewind,
    fork,
    export: exportLog,
    import: importLog,
  }),
  docs: {
    brief: commands.sessions,
    fullDescription: `${commands.sessions}. Without a command, lists the sessions.\n\nEXAMPLES\n  cadre sessions\n    all sessions, newest first`,
  },
})
