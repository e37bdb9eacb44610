/** The work of a program, read from the environment that the runner sets. README.md has the protocol. */
export function readWorkload(env = process.env) {
  const server = required(env, 'BENCH_SERVER')
  const mode = env.BENCH_MODE ?? 'fanout'
  const n = Number(env.BENCH_N ?? 1)
  const k = Number(env.BENCH_K ?? 5)
  return {
    mode,
    n,
    k,
    server,
    base: env.BENCH_BASE ?? `${server}/v1`,
    tmp: required(env, 'BENCH_TMP'),
    leadPrompt: `LEAD n=${n}`,
    workerPrompt: `WORKER k=${k}`,
    ...expectedWork({ mode, n, k }),
  }
}

/** In `copilot`: how often `n` conversations are held. One more before them warms up the server. */
export const batchesOf = (n) => (n > 8 ? 3 : 11)

/** The number of model turns and tool calls of the work. The runner compares the turns with the server's count. */
export function expectedWork({ mode, n, k }) {
  if (mode === 'history') return { turns: k + 1, probes: k }
  if (mode === 'copilot') {
    const conversations = 1 + batchesOf(n) * n
    return { turns: conversations * (k + 1), probes: conversations * k }
  }
  return { turns: 2 + n * (k + 1), probes: n * k }
}

function required(env, name) {
  if (env[name]) return env[name]
  throw new Error(`${name} is not set. Start programs through \`npm run bench\`, or see bench/README.md.`)
}
