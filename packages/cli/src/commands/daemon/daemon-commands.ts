import { defineCommand } from '../../app/command.ts'
import { flag, gateFlags, home, json, team, text, trust } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const upCommand = defineCommand({
  brief: commands.up,
  about:
    'Watches the files in a home directory and acts on them: answers user entries in session files, runs tasks, carries out\n' +
    "decisions and resumes unfinished sessions. Each home directory has one daemon; a second one prints the first one's process and exits with 6.\n" +
    'Ctrl-C shuts down; the next start resumes the work. Press Ctrl-C again to exit immediately.',
  examples: [
    ['up', 'run in the foreground and print one line per event'],
    ['up --detach', 'run in the background; inspect it with "cadre status", stop it with "cadre down"'],
    ['up --home ~/team --workspace ~/project', 'use this home directory and this workspace'],
    ['up --engine restate', 'let workers run the sessions; see "cadre worker --help"'],
    ['up --allow write --trust', 'let agents write to the workspace without approval'],
  ],
  parameters: {
    flags: {
      home,
      workspace: text('The folder the agents may change; default: the current folder', 'DIR'),
      model: text('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      team,
      engine: {
        kind: 'enum',
        values: ['files', 'restate'],
        brief: 'Where sessions run: in this process (files), or on the workers of engine.place (restate)',
        placeholder: 'ENGINE',
        optional: true,
      },
      allow: gateFlags.allow,
      trust,
      detach: flag(
        'Run in the background and return when the daemon is ready; it logs to storage/daemon.log',
      ),
      log: text('Write events to this file instead of standard output', 'FILE'),
      json,
    },
  },
  load: async () => (await import('./up.ts')).startDaemon,
})

export const downCommand = defineCommand({
  brief: commands.down,
  about:
    'Stops the daemon and waits until it has shut down. Sessions finish their current calls and resume with the next "cadre up".',
  examples: [['down', "stop the current project's daemon"]],
  parameters: { flags: { home, trust, json } },
  load: async () => (await import('./down.ts')).stopDaemon,
})

export const statusCommand = defineCommand({
  brief: commands.status,
  about:
    'Shows whether the daemon is running and since when, its sessions, pending approvals, and problems with file and line. If no\n' +
    'daemon is running, shows the last known approvals and problems.\n' +
    'With --json: {running, pid, since, workspace, sessions, approvals, counts, problems, …}.',
  examples: [
    ['status', "show the current project's daemon"],
    [`status --json | jq '.problems[] | "\\(.file):\\(.line) \\(.message)"'`, 'problems to fix'],
  ],
  parameters: { flags: { home, json } },
  load: async () => (await import('./status.ts')).showStatus,
})
