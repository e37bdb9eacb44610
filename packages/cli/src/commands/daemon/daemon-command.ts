import { defineCommand } from '../../app/command.ts'
import { booleanFlag, gateFlags, homeFlag, jsonFlag, teamFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

export const upCommand = defineCommand({
  brief: commands.up,
  about:
    'Watches the files in a home directory and acts on them: answers user entries in session files, runs tasks, carries out\n' +
    'decisions and resumes unfinished sessions. A home directory has at most one daemon: a second "cadre up" prints the process of the\n' +
    'first one and exits with 6.\n' +
    'Ctrl-C shuts down; the next start resumes the work. Press Ctrl-C again to exit immediately.',
  examples: [
    ['up', 'run in the foreground and print one line per event'],
    ['up --detach', 'run in the background; inspect it with "cadre status", stop it with "cadre down"'],
    ['up --home ~/team --workspace ~/project', 'use this home directory and this workspace'],
    ['up --engine restate', 'let worker processes run the sessions; see "cadre worker --help"'],
    ['up --allow write --trust', 'let agents write to the workspace without approval'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      workspace: textFlag('The folder the agents may change; default: the current folder', 'DIR'),
      model: textFlag('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      team: teamFlag,
      engine: {
        kind: 'enum',
        values: ['files', 'restate'],
        brief: 'Where sessions run: in this process (files), or in "cadre worker" processes (restate)',
        placeholder: 'ENGINE',
        optional: true,
      },
      allow: gateFlags.allow,
      trust: trustFlag,
      detach: booleanFlag(
        'Run in the background and return when the daemon is ready; it logs to storage/daemon.log',
      ),
      log: textFlag('Write events to this file instead of standard output', 'FILE'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./up.ts')).startDaemon,
})

export const downCommand = defineCommand({
  brief: commands.down,
  about:
    'Stops the daemon and waits until it has shut down. Sessions finish their current calls and resume with the next "cadre up".',
  examples: [['down', "stop the current project's daemon"]],
  parameters: { flags: { home: homeFlag, trust: trustFlag, json: jsonFlag } },
  load: async () => (await import('./down.ts')).stopDaemon,
})

export const statusCommand = defineCommand({
  brief: commands.status,
  about:
    'Shows whether the daemon is running and since when, its sessions, pending approvals, and problems with file and line. If no\n' +
    'daemon is running, shows pending approvals and the last known problems.\n' +
    'With --json: {running, pid, since, workspace, sessions, approvals, counts, problems, …}.',
  examples: [
    ['status', "show the current project's daemon"],
    [`status --json | jq '.problems[] | "\\(.file):\\(.line) \\(.message)"'`, 'problems to fix'],
  ],
  parameters: { flags: { home: homeFlag, json: jsonFlag } },
  load: async () => (await import('./status.ts')).showStatus,
})
