// The page and its server: `node bench/web.mjs [repetitions] [sessions of the watched run]`. Needs Chromium, which it installs where that is possible.
// `node bench/web.mjs heap [seconds]` measures only the heap of the page, after ten minutes.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { ensure } from '../scripts/ensure.mjs'
import { median } from './lib/median.mjs'
import { launchBrowser, launchIdleBrowser } from './lib/web-browser.mjs'
import { measureNeverRead, measurePage } from './lib/web-page.mjs'
import { startWebServer } from './lib/web-process.mjs'
import { measureRequests } from './lib/web-requests.mjs'
import { runInDaemon } from './lib/web-watched.mjs'

await ensure({ build: true })
if (process.argv[2] === 'heap') {
  await measureHeap(Number(process.argv[3] ?? 600))
  process.exit()
}
const [reps, sessions] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 200)]
const tmp = fs.mkdtempSync(path.join(os.tmpdir(), 'cadre-bench-web-'))
const loadBefore = os.loadavg()[0]
const browser = await launchBrowser()
const say = (line) => console.error(line)
try {
  const server = await startWebServer(tmp, 10_000)
  say('requests…')
  const requests = await measureRequests(server, reps)
  say('page…')
  const pages = []
  for (let rep = 0; rep < reps; rep++)
    pages.push(await measurePage(server, browser, { perSecond: 500, seconds: 8 }))
  say('readers that never read…')
  const silent = await measureNeverRead(server, { perSecond: 500, seconds: 15 })
  await server.stop()
  const idle = await launchIdleBrowser(tmp)
  const times = { watched: [], unwatched: [] }
  for (let rep = 0; rep < reps; rep++)
    for (const name of rep % 2 === 0 ? ['unwatched', 'watched'] : ['watched', 'unwatched']) {
      times[name].push(await runInDaemon(tmp, { sessions, browser: name === 'watched' ? idle : undefined }))
      say(`${name}: ${Math.round(times[name].at(-1))} ms`)
    }
  await idle.close()
  const of = (key) => median(pages.map((page) => page[key]))
  const [watched, unwatched] = [median(times.watched), median(times.unwatched)]
  const line = (what, measured, aim, isMet) =>
    console.log(`| ${what} | ${aim} | ${measured} | ${isMet ? 'met' : 'missed'} |`)
  console.log(
    `Node.js ${process.versions.node}, ${os.availableParallelism()} cores, load average ${loadBefore.toFixed(1)} before and ${os.loadavg()[0].toFixed(1)} after, ${reps} repetitions\n`,
  )
  console.log('| aim | limit | measured | result |\n|---|---|---|---|')
  const share = requests.cadre / requests.bare
  line(
    'requests a second for 50 rows of 10,000',
    `${share.toFixed(2)} × (${Math.round(requests.cadre)} of ${Math.round(requests.bare)}; p99 ${requests.p99.cadre} ms, bare ${requests.p99.bare} ms)`,
    '≥ 0.5 × bare `node:http` with the same bytes',
    share >= 0.5,
  )
  line(
    'rows visible, 10,000 sessions, 500 changes/s',
    `${Math.round(of('rowsMs'))} ms`,
    '≤ 500 ms',
    of('rowsMs') <= 500,
  )
  line(
    'frames meanwhile, p99',
    `${of('frameP99').toFixed(1)} ms (p50 ${of('frameP50').toFixed(1)} ms)`,
    '≤ 34 ms',
    of('frameP99') <= 34,
  )
  line('heap of the page', `${of('heapMb').toFixed(1)} MB`, '≤ 60 MB', of('heapMb') <= 60)
  line('script at first load, gzipped', `${of('scriptKb').toFixed(1)} KB`, '≤ 45 KB', of('scriptKb') <= 45)
  line(
    '20 readers that never read, 500 changes/s',
    `${Math.round(silent.grownMb)} MB more memory`,
    '≤ 120 MB',
    silent.grownMb <= 120,
  )
  line(
    `a run of ${sessions} sessions, watched by 3 tabs, a phone and a reader that never reads`,
    `${(watched / unwatched).toFixed(2)} × (${Math.round(watched)} ms, ${Math.round(unwatched)} ms unwatched)`,
    '≤ 1.05 × unwatched',
    watched / unwatched <= 1.05,
  )
} finally {
  await browser.close()
  fs.rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
}

async function measureHeap(seconds) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cadre-bench-web-'))
  const window = await launchBrowser()
  const server = await startWebServer(folder, 10_000)
  try {
    const { heapMb, frameP99 } = await measurePage(server, window, { perSecond: 500, seconds })
    console.log(`heap after ${seconds} s: ${heapMb.toFixed(1)} MB; frames p99 ${frameP99.toFixed(1)} ms`)
  } finally {
    await server.stop()
    await window.close()
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
