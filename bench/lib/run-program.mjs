import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { now } from './clock.mjs'
import { expectedWork } from './workload.mjs'

const timeLimitMs = 300_000
const reportCost = fileURLToPath(new URL('report-cost.mjs', import.meta.url))

/**
 * Runs one program once, in a separate process, and resolves to `{ line, server }` or `{ error }`. Never rejects: a failed
 * program is reported in its row.
 */
export async function runProgram({ program, cell, fake, tmp }) {
  await fake.reset({ latency: cell.latency, ...program.fake })
  const base = `${fake.server}/v1`
  const run = { mode: cell.mode, n: cell.n, k: cell.k, base, tmp }
  const env = { ...inheritedEnv(), ...protocolEnv(run, fake.server), ...program.env?.(run) }
  const cost = join(tmp, 'process-cost.json')
  env.BENCH_COST = cost
  const startedAt = now()
  const { code, stdout, stderr } = await execute(program.argv(run), { cwd: tmp, env })
  const line = lastJsonLine(stdout)
  if (!line) return { error: `ended with code ${code} and no result\n${stderr.slice(-1000)}` }
  if (line.error) return { error: line.error }
  const server = await fake.stats()
  const mismatch = checkWork(cell, server) ?? checkExports(program, server)
  if (mismatch) return { error: mismatch }
  // The program's own value takes precedence: one that starts the real command has not counted its own start.
  const sinceStart = server.firstRequestAt && { firstRequestMs: server.firstRequestAt - startedAt }
  return { line: { ...sinceStart, ...readCost(cost), ...line }, server }
}

/** The cost of the whole process, including its start and imports. */
function readCost(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

function protocolEnv({ mode, n, k, base, tmp }, server) {
  return {
    BENCH_MODE: mode,
    BENCH_N: String(n),
    BENCH_K: String(k),
    BENCH_SERVER: server,
    BENCH_BASE: base,
    BENCH_TMP: tmp,
  }
}

/** Without variables that would make a program trace, use a proxy, preload something, or contact a real model. */
function inheritedEnv() {
  const unwanted =
    /^(OPENAI_|OTEL_|TRACEPARENT$|LANGCHAIN_|LANGSMITH_|CADRE_|NODE_OPTIONS$|NODE_V8_COVERAGE$|npm_)|_proxy$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !unwanted.test(name)))
}

function execute(argv, { cwd, env }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', reportCost, ...argv], {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
      child[name].setEncoding('utf8').on('data', (chunk) => {
        output[name] += chunk
      })
    }
    const timer = setTimeout(() => {
      output.stderr += `stopped after ${timeLimitMs / 1000} s`
      child.kill('SIGKILL')
    }, timeLimitMs)
    child.on('error', (error) => {
      output.stderr += error.message
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code: code ?? signal, ...output })
    })
  })
}

function lastJsonLine(stdout) {
  const text = stdout.split('\n').findLast((line) => line.startsWith('{'))
  try {
    return text && JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A program with a different number of model requests did other work, so its cost is not comparable. */
function checkWork({ mode, n, k }, { calls, incompleteLeads }) {
  if (!['fanout', 'history', 'copilot', 'telemetry'].includes(mode)) return undefined
  const { turns } = expectedWork({ mode, n, k })
  if (calls !== turns) return `asked the model ${calls} times instead of ${turns}`
  if (incompleteLeads > 0) return 'the lead went on before all workers had answered'
  return undefined
}

/** Whoever exports nothing is cheap. */
function checkExports({ kind }, { exports }) {
  if (kind === 'exporting' && exports < 2) return `exported ${exports} times instead of traces and metrics`
  if (kind === 'command' && exports > 0) return `exported ${exports} times without a collector`
  return undefined
}
