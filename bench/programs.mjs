import { fileURLToPath } from 'node:url'

const delegating = {
  delegate: 'delegate_task',
  delegateArgs: JSON.stringify({
    description: 'work',
    prompt: 'task $I',
    subagent_type: 'worker',
    wait_for_result: true,
  }),
}

/**
 * Everything that is measured.
 *
 * name   the row in the tables
 * kind   'bare': what the others are compared with · 'cadre': the library · 'command': `cadre run` · 'exporting': the same with telemetry
 *        · 'peer'
 * argv   `({ mode, n, k, base, tmp })`: what follows `node`, or undefined when the program has no such mode
 * env    `(same)`: environment on top of the protocol's (README.md), optional
 * fake   how the fake model delegates to it, when not by `delegate({ input })`
 */
export const programs = [
  {
    name: 'bare',
    kind: 'bare',
    argv: byMode({
      fanout: 'bare/bare.mjs',
      cold: 'bare/bare.mjs',
      history: 'bare/bare.mjs',
      agents: 'bare/agents.mjs',
      gate: 'bare/gate.mjs',
      mcp: 'bare/mcp.mjs',
      wake: 'bare/wake.mjs',
      crowd: 'bare/crowd.mjs',
      tasks: 'bare/tasks.mjs',
      chat: 'bare/chat.mjs',
      copilot: 'bare/copilot.mjs',
    }),
  },
  {
    name: 'cadre',
    kind: 'cadre',
    argv: byMode({
      fanout: 'cadre/fanout.mjs',
      cold: 'cadre/cold.mjs',
      history: 'cadre/history.mjs',
      flat: 'cadre/flat.mjs',
      resume: 'cadre/resume.mjs',
      agents: 'cadre/agents.mjs',
      gate: 'cadre/gate.mjs',
      mcp: 'cadre/mcp.mjs',
      wake: 'cadre/wake.mjs',
      crowd: 'cadre/crowd.mjs',
      tasks: 'cadre/tasks.mjs',
      chat: 'cadre/chat.mjs',
      copilot: 'cadre/copilot.mjs',
    }),
    fake: delegating,
  },
  {
    name: 'cadre run',
    kind: 'command',
    argv: byMode({
      fanout: 'cadre/command.mjs',
      telemetry: 'cadre/command.mjs',
      gate: 'cadre/gate-in-command.mjs',
    }),
    fake: delegating,
  },
  {
    name: 'cadre run, exporting',
    kind: 'exporting',
    argv: byMode({ telemetry: 'cadre/command.mjs' }),
    // The fake model is the collector as well.
    env: ({ base }) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: new URL('/otlp', base).href }),
    fake: delegating,
  },
  peer('openai-agents', 'peers/openai-agents.mjs'),
  peer('langgraph', 'peers/langgraph.mjs'),
  peer('ai', 'peers/ai.mjs'),
]

function peer(name, file) {
  return { name, kind: 'peer', argv: byMode({ fanout: file, cold: file, history: file }) }
}

function byMode(files) {
  return ({ mode }) => files[mode] && [fileURLToPath(new URL(files[mode], import.meta.url))]
}
