import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { now } from './clock.mjs'
import { print } from './measure.mjs'
import { median } from './median.mjs'
import { costOf } from './process-cost.mjs'
import { readWorkload } from './workload.mjs'

const model = fileURLToPath(new URL('../server/streaming-model.mjs', import.meta.url))

/**
 * Measures a program that shows a streamed reply in a terminal: `n` tokens of Markdown a second, `k` in all. Prints its share of a core
 * while it streams, and the median time from a token to the screen. Needs `script` of util-linux.
 *
 * argv   `(url)`: what follows `node`
 * ask    what is typed once `isReady(screen)`; without it, the program asks by itself
 * isOver `(screen)`: whether the reply is complete
 * leave  what is typed then
 */
export async function measureChat(program) {
  const { n: rate, k: tokens, tmp } = readWorkload()
  const env = { ...process.env, STREAM_RATE: String(rate), STREAM_TOKENS: String(tokens) }
  const server = spawn(process.execPath, [model], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  process.on('exit', () => server.kill())
  const url = await new Promise((resolve) =>
    server.stdout.once('data', (text) => resolve(String(text).trim())),
  )
  const { seen, corePercent } = await watchTerminal(program, url, tmp)
  const sent = await (await fetch(new URL('/sent', url))).json()
  if (seen.size === 0) return print({ error: 'no token reached the screen' })
  print({ corePercent, delayMs: median([...seen].map(([number, at]) => at - sent[number])) })
}

/** When each numbered token was on the screen, and the CPU of the program from the first of them to the end of the reply. */
function watchTerminal({ argv, ask, isReady, isOver, leave }, url, tmp) {
  const line = [process.execPath, ...argv(url)].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 120 rows 40; exec ${line}`, '/dev/null'], {
    cwd: tmp,
    env: {
      PATH: process.env.PATH,
      HOME: tmp,
      TERM: 'xterm-256color',
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: 'none',
    },
  })
  const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
  const seen = new Map()
  let screen = ''
  let isAsked = ask === undefined
  let from
  let corePercent
  child.stdout.setEncoding('utf8').on('data', (text) => {
    const at = now()
    screen = (screen + text).slice(-20_000)
    for (const [, number] of text.matchAll(/\bt(\d+)t\b/g)) if (!seen.has(number)) seen.set(number, at)
    if (!isAsked && isReady(screen)) {
      isAsked = true
      child.stdin.write(ask)
    }
    if (seen.size === 0) return
    from ??= { at, cpu: costOf(pid()) }
    if (corePercent !== undefined || !isOver(screen)) return
    corePercent = (100 * (costOf(pid()) - from.cpu)) / (at - from.at)
    child.stdin.write(leave)
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve({ seen, corePercent }))
  })
}
