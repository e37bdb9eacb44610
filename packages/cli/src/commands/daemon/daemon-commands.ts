import { defineCommand } from '../../app/command.ts'
import { flag, gateFlags, home, json, team, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const upCommand = defineCommand({
  brief: commands.up,
  about:
    'Watches the files of a home and keeps the promises they make: a user entry in a session file is answered there, tasks are\n' +
    'done, decisions are carried out, what was left undone goes on. One such process serves a home; a second one says who it is,\n' +
    'and ends with 6. Ctrl-C brings everything to rest, and a new start goes on where it was; Ctrl-C twice leaves at once.',
  examples: [
    ['up', 'here, with a line for each thing that happens'],
    ['up --detach', 'in the background; `cadre status` and `cadre down` reach it'],
    ['up --home ~/team --workspace ~/project', 'a home and the folder its agents may change'],
    ['up --allow write --trust', 'writing in the workspace is not asked for'],
  ],
  parameters: {
    flags: {
      home,
      workspace: text('The folder the agents may change; default: the current one', 'DIR'),
      model: text('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      team,
      allow: gateFlags.allow,
      trust,
      detach: flag('Run in the background; comes back when it is ready, and writes to storage/daemon.log'),
      log: text('A file for what happens, instead of standard output', 'FILE'),
      json,
    },
  },
  load: async () => (await import('./up.ts')).up,
})

export const downCommand = defineCommand({
  brief: commands.down,
  about:
    'Asks the process that watches over a home to stop, and waits until it has. Sessions come to rest after the calls they are at,\n' +
    'and go on with the next `cadre up`. Says so when there is none.',
  examples: [['down', 'that of the home here']],
  parameters: { flags: { home, trust, json } },
  load: async () => (await import('./down.ts')).down,
})

export const statusCommand = defineCommand({
  brief: commands.status,
  about:
    'Whether a process watches over the home, since when, and what it does; what waits for you; what is wrong with which file, at\n' +
    'which line. Where none runs, what was known last. With --json: {running, pid, since, workspace, sessions, approvals, counts,\n' +
    'problems, …}.',
  examples: [
    ['status', 'of the home here'],
    [`status --json | jq '.problems[] | "\\(.file):\\(.line) \\(.message)"'`, 'what is to be mended'],
  ],
  parameters: { flags: { home, json } },
  load: async () => (await import('./status.ts')).status,
})
