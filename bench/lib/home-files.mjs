import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const command = fileURLToPath(new URL('../../packages/cli/bin/cadre.js', import.meta.url))

/** The number of suspended sessions per hundred, which wait for a person. The others have ended. */
const sleeping = 1

/** An empty home with two agents, and a function that runs commands on it. `base` is the address of the model. */
export function makeHome(tmp, base) {
  const home = path.join(tmp, 'home')
  const work = path.join(tmp, 'work')
  for (const folder of [work, ...['templates', 'sessions', 'tasks'].map((name) => path.join(home, name))])
    fs.mkdirSync(folder, { recursive: true })
  writeAgent(home, 'worker', 'You answer.')
  writeAgent(home, 'asker', 'You write a file. LEAD n=1')
  const env = { ...process.env, HOME: tmp, OPENAI_BASE_URL: base, OPENAI_API_KEY: 'none' }
  const flags = ['--model', 'openai:fake', '--home', home, '--workspace', work, '--trust']
  return {
    home,
    session: (id) => path.join(home, 'sessions', `${id}.session.yaml`),
    taskFile: path.join(home, 'tasks', 'work.task.md'),
    /** Starts `cadre NAME` in a separate process. */
    cadre: (name, args = []) =>
      spawn(process.execPath, [command, name, ...flags, ...args], {
        cwd: work,
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
  }
}

/**
 * Fills a home with `count` sessions: renamed copies of one that has really ended and of one that really waits for a
 * person. Returns the names of those that have ended.
 */
export async function makeSessions(place, count) {
  const ended = await templateOf(place, 'worker')
  const waiting = count >= 100 ? await templateOf(place, 'asker') : undefined
  const ids = []
  for (let i = 0; i < count; i++) {
    const template = waiting !== undefined && i % 100 < sleeping ? waiting : ended
    const id = `${template.agent}-${i.toString(36).padStart(8, 'a')}`
    fs.writeFileSync(place.session(id), template.text.replaceAll(template.id, id))
    if (template === ended) ids.push(id)
  }
  return ids
}

/** The file of a session that really ran, without other files of the run. */
async function templateOf(place, agent) {
  const child = place.cadre('run', ['--agent', agent, 'Say ok'])
  child.stdout.resume()
  child.stderr.resume()
  await once(child, 'exit')
  const folder = path.join(place.home, 'sessions')
  const name = fs.readdirSync(folder).find((file) => file.startsWith(`${agent}-`))
  if (name === undefined) throw new Error(`cadre run made no session of ${agent}`)
  const text = fs.readFileSync(path.join(folder, name), 'utf8')
  for (const left of [
    path.join(folder, name),
    ...['approvals', 'tasks/approvals.task.md'].map((one) => path.join(place.home, one)),
  ])
    fs.rmSync(left, { recursive: true, force: true })
  return { agent, text, id: name.slice(0, -'.session.yaml'.length) }
}

function writeAgent(home, name, prompt) {
  const text = `id: ${name}\ntype: worker\ndescription: Does work\nsystem_prompt: ${prompt}\n`
  fs.writeFileSync(path.join(home, 'templates', `${name}.agent.yaml`), text)
}
