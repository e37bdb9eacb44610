import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { gateFlags, homeFlag, jsonFlag, portFlag, teamFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const start = defineCommand({
  brief: 'Run a Restate server for this machine, on loopback only, and print the settings for config.yaml',
  about:
    'Runs the Restate server from npm until you press Ctrl-C. Its data is in engine/ in the home directory, and its log in\n' +
    'engine/server.log. It accepts connections from this machine only, and signs its requests to workers. If the server is not\n' +
    'installed, the error has the command that installs it.\n' +
    'With --json: {"type": "engine.ready", "pid", "ingress", "admin", "folder", "engine": the settings}.',
  examples: [
    ['engine start', 'run on ports 8080 and 9070'],
    ['engine start --port 18080 --admin-port 19070 --node-port 15122', 'use other ports'],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      port: portFlag('The port for requests from "cadre up" and workers (ingress); default 8080'),
      adminPort: portFlag('The port of the admin API; default 9070'),
      nodePort: portFlag('The port that the server uses internally; default 5122'),
      trust: trustFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./engine-start.ts')).startEngine,
})

export const engineRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, { start }),
  docs: {
    brief: commands.engine,
    fullDescription: `${commands.engine}.\n\nEXAMPLES\n  cadre engine start\n    run a server and print the settings for config.yaml`,
  },
})

export const workerCommand = defineCommand({
  brief: commands.worker,
  about:
    'Runs sessions for a daemon that was started with "cadre up --engine restate". Uses the agents, policy, hooks and tools in this\n' +
    'folder, as "cadre up" does. The Restate server in config.yaml (engine) gives each worker its sessions. If a worker dies, its sessions\n' +
    'continue when it restarts, or on another worker. Ctrl-C or SIGTERM stops the worker when its running calls have ended; press Ctrl-C\n' +
    'again to exit immediately.\n' +
    'With --json: one object per event, the first one {"type": "worker.ready", "url", "place", "deployment", …}.',
  examples: [
    ['worker', 'run sessions for engine.place in config.yaml, and listen on loopback'],
    ['worker --port 9081', 'listen on another port; a restarted worker must use the same address'],
    [
      'worker --host 0.0.0.0 --port 9080 --url http://10.0.0.5:9080',
      'work for a Restate server on another machine; needs engine.identityKeys',
    ],
  ],
  parameters: {
    flags: {
      home: homeFlag,
      workspace: textFlag('The folder the agents may change; default: the current folder', 'DIR'),
      model: textFlag('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      team: teamFlag,
      allow: gateFlags.allow,
      host: textFlag('The address to listen on; default 127.0.0.1', 'HOST'),
      port: portFlag('The port to listen on; default 9080'),
      url: textFlag(
        'The address at which the Restate server reaches this worker; default: host and port',
        'URL',
      ),
      trust: trustFlag,
      json: jsonFlag,
    },
  },
  load: async () => (await import('./worker.ts')).runWorker,
})
