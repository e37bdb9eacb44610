import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { gateFlags, home, json, port, team, text, trust } from '../../app/flags.ts'
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
      home,
      port: port('The port for requests from "cadre up" and workers (ingress); default 8080'),
      adminPort: port('The port of the admin API; default 9070'),
      nodePort: port('The port that the server uses internally; default 5122'),
      trust,
      json,
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
    'Runs the trees of a place in this folder, with the same agents, policy, hooks and tools as "cadre up" here. The Restate server in\n' +
    'engine in config.yaml gives it the trees. If the worker dies, its trees continue when it is back, or on another worker.\n' +
    'Ctrl-C or SIGTERM stops it when running calls have ended; press Ctrl-C again to exit immediately.\n' +
    'With --json: one object per event, the first one {"type": "worker.ready", "url", "place", "deployment", …}.',
  examples: [
    ['worker', 'serve the place in config.yaml, on loopback'],
    ['worker --port 9081', 'use another port; a restarted worker must have the same address'],
    [
      'worker --host 0.0.0.0 --port 9080 --url http://10.0.0.5:9080',
      'serve a Restate server on another machine; needs engine.identityKeys',
    ],
  ],
  parameters: {
    flags: {
      home,
      workspace: text('The folder the agents may change; default: the current folder', 'DIR'),
      model: text('The model, as BACKEND:NAME: openai:NAME or scripted:FILE', 'MODEL'),
      team,
      allow: gateFlags.allow,
      host: text('The address to listen on; default 127.0.0.1', 'HOST'),
      port: port('The port to listen on; default 9080'),
      url: text('The address at which the server reaches this worker; default: host and port', 'URL'),
      trust,
      json,
    },
  },
  load: async () => (await import('./worker.ts')).runWorker,
})
