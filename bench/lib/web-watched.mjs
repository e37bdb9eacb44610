import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fromRoot } from '../../scripts/lib/run.mjs'
import { openLive } from './web-browser.mjs'
import { logIn, neverRead } from './web-process.mjs'

const command = fromRoot('packages', 'cli', 'bin', 'cadre.js')

/** The time of a run with so many sessions in a daemon, in milliseconds; watched or not. */
export async function runInDaemon(tmp, { sessions, browser }) {
  const place = writePlace(tmp, sessions)
  const cadre = (...args) => {
    // The browser runs on core 1.
    const line = ['-c', '0', process.execPath, command, ...args, '--home', place.home]
    const { status, stdout, stderr } = spawnSync('taskset', line, {
      cwd: place.work,
      env: { PATH: process.env.PATH, HOME: tmp, CADRE_TRUST: '1', USER: 'bench' },
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`cadre ${args[0]} ended with ${status}: ${stderr}`)
    return stdout
  }
  cadre('up', '--detach', '--workspace', place.work, '--model', `scripted:${place.playbook}`)
  const ends = []
  try {
    const access = () => {
      const { url, address } = JSON.parse(cadre('open', '--json', '--no-browser'))
      return { url, address, secret: new URL(url).hash.slice('#key='.length) }
    }
    const own = access()
    const headers = await logIn(own)
    if (browser !== undefined) ends.push(...(await watch(browser, access)))
    const began = performance.now()
    const answer = await fetch(`${own.address}/api/sessions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ work: 'Give work to all of them.', agent: 'lead' }),
    })
    const { id } = await answer.json()
    if (id === undefined) throw new Error(`the run did not start: ${answer.status}`)
    const file = path.join(place.home, 'sessions', `${id}.session.yaml`)
    while (!isEnded(file)) await new Promise((resolve) => setTimeout(resolve, 10))
    const wallMs = performance.now() - began
    const made = fs.readdirSync(path.join(place.home, 'sessions')).length
    if (made !== sessions + 1) throw new Error(`the run had ${made} sessions`)
    return wallMs
  } finally {
    for (const end of ends) await end()
    cadre('down')
  }
}

/** Three tabs and a window of a phone on the run's tree, and a reader that never reads. */
async function watch(browser, access) {
  const ends = []
  const wide = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  ends.push(() => wide.close())
  const { url, address } = access()
  await openLive(wide, url)
  for (const target of ['/waiting', '/?filter=worker']) await openLive(wide, address + target)
  const phone = await browser.newContext({ viewport: { width: 360, height: 740 } })
  ends.push(() => phone.close())
  await openLive(phone, access().url)
  const silent = access()
  const socket = neverRead(silent.address, await logIn(silent))
  ends.push(() => socket.destroy())
  return ends
}

function isEnded(file) {
  try {
    const head = Buffer.alloc(4096)
    const handle = fs.openSync(file, 'r')
    const read = fs.readSync(handle, head, 0, head.length, 0)
    fs.closeSync(handle)
    return /^status: completed/m.test(head.toString('utf8', 0, read))
  } catch {
    return false
  }
}

function writePlace(tmp, sessions) {
  const folder = fs.mkdtempSync(path.join(tmp, 'watched-'))
  const [home, work] = [path.join(folder, 'home'), path.join(folder, 'work')]
  for (const one of [path.join(home, 'templates'), work]) fs.mkdirSync(one, { recursive: true })
  // Agents that can write would get a workspace each, which takes longer than everything else.
  for (const [name, tool] of [
    ['lead', 'delegate_task'],
    ['worker', 'read_file'],
  ])
    fs.writeFileSync(
      path.join(home, 'templates', `${name}.agent.yaml`),
      `id: ${name}\ntype: ${name}\ndescription: Works\ntools: [${tool}]\nsystem_prompt: You work.\n`,
    )
  fs.writeFileSync(path.join(work, 'a.txt'), 'text\n')
  const delegate = (index) => ({
    tool: 'delegate_task',
    input: {
      description: `part ${index}`,
      prompt: `Part ${index}.`,
      subagent_type: 'worker',
      wait_for_result: true,
    },
  })
  const read = { calls: [{ tool: 'read_file', input: { path: 'a.txt' } }], wait: 50 }
  const lanes = {
    lead: [
      { calls: Array.from({ length: sessions }, (_, index) => delegate(index)) },
      { reply: 'All done.' },
    ],
    worker: [read, read, read, { reply: 'Done.', wait: 50 }],
  }
  const playbook = path.join(folder, 'playbook.yaml')
  fs.writeFileSync(playbook, JSON.stringify({ lanes }))
  return { home, work, playbook }
}
