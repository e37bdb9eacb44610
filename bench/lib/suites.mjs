/**
 * What each suite runs. A cell is one configuration; every program that has its mode runs it. `start` also times
 * `cadre --help`, which is not a program of the table (help-time.mjs).
 */
export const suites = {
  overhead: ({ ns }) => ns.map((n) => ({ mode: 'fanout', n, k: 5, latency: 50 })),
  history: () => [{ mode: 'history', n: 1, k: 1000, latency: 0 }],
  flat: () => [
    { mode: 'flat', n: 1, k: 5000, latency: 0 },
    { mode: 'resume', n: 1, k: 15_000, latency: 0 },
  ],
  agents: () => [500, 1000, 2000].map((n) => ({ mode: 'agents', n, k: 1, latency: 0 })),
  gate: () => [{ mode: 'gate', n: 1, k: 1, latency: 0 }],
  start: () => [{ mode: 'cold', n: 1, k: 1, latency: 0 }],
}
