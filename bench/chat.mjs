// Measures what the chat adds to a streamed reply: the time from a token to the screen, and the CPU share. A model streams
// Markdown at `RATE` tokens per second, once to a bare loop that writes the raw text to a terminal, and once to `cadre
// chat` in the same kind of terminal. Needs `npm run build`, and `script` of util-linux.
//
//    node bench/chat.mjs [RATE] [TOKENS]
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { now } from './lib/clock.mjs'
import { median } from './lib/median.mjs'

const [rate = '200', tokens = '2000'] = process.argv.slice(2)
const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const aim = 0.15
const env = { ...process.env, STREAM_RATE: rate, STREAM_TOKENS: tokens }
const server = spawn(process.execPath, [here('server/streaming-model.mjs')], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const home = mkdtempSync(join(tmpdir(), 'cadre-bench-chat-'))
try {
  const url = await new Promise((resolve) =>
    server.stdout.once('data', (text) => resolve(String(text).trim())),
  )
  const bare = await measure([here('bare/chat.mjs'), url], url)
  const chat = [
    here('../packages/cli/bin/cadre.js'),
    'chat',
    '--agent',
    'assistant',
    '--model',
    'openai:stream',
  ]
  const cadre = await measure(chat, url, { ask: 'Go.\r', leave: '\x04' })
  console.log(`${tokens} tokens, ${rate} a second`)
  for (const [name, { share, delay }] of Object.entries({ bare, 'cadre chat': cadre }))
    console.log(
      `${name.padEnd(12)} ${(share * 100).toFixed(1).padStart(5)} % of a core   token to screen, median ${delay.toFixed(0)} ms`,
    )
  console.log(
    `CPU ${(cadre.share / bare.share).toFixed(1)} × bare, ${(cadre.delay - bare.delay).toFixed(0)} ms later than bare`,
  )
  console.log(`aim: at most ${aim * 100} % of a core: ${cadre.share <= aim ? 'met' : 'missed'}`)
} finally {
  server.kill()
  rmSync(home, { recursive: true, force: true })
}

/** Runs a program in a terminal, and compares when numbered words were sent and when they were on the screen. */
async function measure(argv, url, { ask, leave } = {}) {
  const line = [process.execPath, ...argv].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', `stty cols 120 rows 40; exec ${line}`, '/dev/null'], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      TERM: 'xterm-256color',
      OPENAI_BASE_URL: url,
      OPENAI_API_KEY: 'none',
    },
  })
  const seen = new Map()
  let screen = ''
  let asked = ask === undefined
  let used
  const pid = () => Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim())
  await new Promise((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const at = now()
      screen = (screen + text).slice(-20_000)
      for (const [, number] of text.matchAll(/\bt(\d+)t\b/g)) if (!seen.has(number)) seen.set(number, at)
      if (!asked && /openai:stream.*\/help/.test(screen)) {
        asked = true
        child.stdin.write(ask)
      }
      used ??= seen.size > 0 ? { from: at, before: cpuOf(pid()) } : undefined
      const isOver =
        ask === undefined ? screen.includes('THE END') : /completed.* tokens.*\/help/s.test(screen)
      if (isOver && used.cpu === undefined) {
        used.cpu = (cpuOf(pid()) - used.before) / (at - used.from)
        child.stdin.write(leave ?? '\n')
      }
    })
    child.on('close', resolve)
  })
  const sent = await (await fetch(new URL('/sent', url))).json()
  return { share: used.cpu, delay: median([...seen].map(([number, at]) => at - sent[number])) }
}

/** The CPU time of a process in milliseconds, all threads. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
