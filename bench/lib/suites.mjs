/**
 * The cells of each suite. A cell is one configuration; every program with its mode runs it. `start` also times `cadre
 * --help`, which is not a program of the table (help-time.mjs).
 */
/** Not part of a full run: its packages take 1 GB. */
export const onRequest = ['copilot']

export const suites = {
  overhead: ({ ns }) => ns.map((n) => ({ mode: 'fanout', n, k: 5, latency: 50 })),
  history: () => [{ mode: 'history', n: 1, k: 1000, latency: 0 }],
  flat: () => [
    { mode: 'flat', n: 1, k: 5000, latency: 0 },
    { mode: 'resume', n: 1, k: 15_000, latency: 0 },
  ],
  agents: () => [500, 1000, 2000].map((n) => ({ mode: 'agents', n, k: 1, latency: 0 })),
  gate: () => [{ mode: 'gate', n: 1, k: 1, latency: 0 }],
  mcp: () => [{ mode: 'mcp', n: 1, k: 1, latency: 0 }],
  home: () => [
    { mode: 'wake', n: 1, k: 100, latency: 0 },
    ...[100, 1000, 10_000].map((n) => ({ mode: 'crowd', n, k: 20, latency: 0 })),
    ...[1000, 10_000].map((n) => ({ mode: 'tasks', n, k: 1, latency: 0 })),
  ],
  telemetry: () => [1, 100].map((n) => ({ mode: 'telemetry', n, k: 5, latency: 50 })),
  // Tokens a second, and tokens of the reply.
  chat: () => [{ mode: 'chat', n: 200, k: 2000, latency: 0 }],
  copilot: () => [8, 64].map((n) => ({ mode: 'copilot', n, k: 3, latency: 50 })),
  start: () => [{ mode: 'cold', n: 1, k: 1, latency: 0 }],
}
