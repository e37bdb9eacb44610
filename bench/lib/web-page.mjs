import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { fromRoot } from '../../scripts/lib/run.mjs'
import { openLive } from './web-browser.mjs'
import { logIn, neverRead } from './web-process.mjs'

/** The page with all sessions while so many rows change each second: when rows are visible, frames, heap, size of the script. */
export async function measurePage(server, browser, { perSecond, seconds }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const { url, address } = await server.ask('login')
  const page = await openLive(context, url)
  await server.ask(`change ${perSecond}`)
  await page.goto(address)
  const rowsMs = await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      if (document.querySelector('[role="row"][data-session]')) requestAnimationFrame(() => resolve(performance.now()))
      else if (performance.now() > 60_000) resolve(undefined)
      else requestAnimationFrame(look)
    }
    look()
  })`)
  if (rowsMs === undefined) throw new Error('the page showed no row within a minute')
  const frames = await page.evaluate(`new Promise((resolve) => {
    const times = []
    const end = performance.now() + ${seconds * 1000}
    const next = (now) => { times.push(now); now < end ? requestAnimationFrame(next) : resolve(times) }
    requestAnimationFrame(next)
  })`)
  await server.ask('still')
  const client = await context.newCDPSession(page)
  await client.send('HeapProfiler.collectGarbage')
  const heapMb = (await page.evaluate('performance.memory.usedJSHeapSize')) / 1e6
  await context.close()
  const gaps = frames
    .slice(1)
    .map((time, index) => time - frames[index])
    .sort((a, b) => a - b)
  return { rowsMs, frameP50: at(gaps, 0.5), frameP99: at(gaps, 0.99), heapMb, scriptKb: firstLoadKb() }
}

/** Twenty readers that never read, in five logins, while rows change: what the server's memory grows by. */
export async function measureNeverRead(server, { perSecond, seconds }) {
  const before = await server.ask('memory')
  const sockets = []
  for (let login = 0; login < 5; login++) {
    const access = await server.ask('login')
    const headers = await logIn(access)
    for (let i = 0; i < 4; i++) sockets.push(neverRead(access.address, headers))
  }
  await server.ask(`change ${perSecond}`)
  let peak = 0
  for (let second = 0; second < seconds; second++) {
    await new Promise((resolve) => setTimeout(resolve, 1000))
    peak = Math.max(peak, (await server.ask('memory')).rssMb)
  }
  await server.ask('still')
  for (const socket of sockets) socket.destroy()
  return { grownMb: peak - before.rssMb }
}

function at(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** The scripts that index.html names, and what they import statically, gzipped. */
function firstLoadKb() {
  const folder = fromRoot('packages', 'web', 'dist', 'page')
  const todo = [
    ...fs.readFileSync(path.join(folder, 'index.html'), 'utf8').matchAll(/(?:src|href)="\/([^"]+\.js)"/g),
  ].map(([, name]) => name)
  const seen = new Set()
  let bytes = 0
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const text = fs.readFileSync(path.join(folder, name), 'utf8')
    bytes += gzipSync(text, { level: 9 }).length
    for (const [, other] of text.matchAll(/(?:from|import)\s*"(\.[^"]+)"/g))
      todo.push(path.posix.join(path.posix.dirname(name), other))
  }
  return bytes / 1024
}
