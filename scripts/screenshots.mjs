// Creates the pictures of the page in docs/images: runs the demo and a team with the scripted model, and takes each view in a real
// Chromium, light and dark. Needs `npm run build`. Ids, times and folders differ in each run, so they are replaced before the page
// reads them: the same work gives the same pictures.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { browserPackages } from './lib/browser-packages.mjs'
import { fromRoot, say } from './lib/run.mjs'
import { smallPng } from './lib/small-png.mjs'

const work = 'Review, test and document src/parse-duration.js'
const firstTime = Date.parse('2026-11-16T09:00:00.000Z')
const maxBytes = 150_000
const user = userInfo().username

const folder = mkdtempSync(path.join(tmpdir(), 'cadre-screenshots-'))
const project = path.join(folder, 'project')
const home = path.join(project, '.cadre')
const env = { PATH: process.env.PATH, HOME: folder, USER: 'you', TZ: 'UTC', NO_COLOR: '1' }
const command = fromRoot('packages', 'cli', 'bin', 'cadre.js')

try {
  prepareHome()
  const sessions = replaceWhatDiffers()
  await takePictures(sessions)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The demo leaves its tasks and sessions. Then a team works until its command waits for a person. */
function prepareHome() {
  run(['demo', '--yes', '--json', '--dir', project])
  cpSync(fromRoot('examples', 'coordinator', 'workspace', 'src'), path.join(project, 'src'), {
    recursive: true,
  })
  cpSync(fromRoot('scripts', 'pictures', 'playbook.yaml'), path.join(project, 'playbook.yaml'))
  cpSync(fromRoot('scripts', 'pictures', 'release.task.md'), path.join(home, 'tasks', 'release.task.md'))
  // Ends with the code for "a person must decide".
  run(
    ['run', '--team', 'coordinator', '--trust', '--home', home, '--model', 'scripted:playbook.yaml', work],
    [0, 3, 6],
  )
}

function run(args, codes = [0]) {
  const cwd = args[0] === 'demo' ? folder : project
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    cwd,
    env,
    encoding: 'utf8',
  })
  if (!codes.includes(status))
    throw new Error(`cadre ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
}

/** Replaces random ids, times and the temporary folder in all text files. Returns the ids of the sessions by their agent. */
function replaceWhatDiffers() {
  const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ya?ml|md|jsonl|json)$/.test(name) && !name.startsWith('.git'))
    .filter((name) => statSync(path.join(home, name)).isFile())
  const texts = new Map(files.map((name) => [name, readFileSync(path.join(home, name), 'utf8')]))
  const all = [...texts.values()].join('\n')
  const times = [...new Set(all.match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g))].sort()
  const names = new Map()
  const counts = new Map()
  const sessions = {}
  const started = (id) =>
    /\ncreated: '?([^'\n]*)/.exec(texts.get(`sessions/${id}.session.yaml`) ?? '')?.[1] ?? ''
  const ids = files.flatMap((name) => /^sessions[/\\](.*)\.session\.yaml$/.exec(name)?.[1] ?? [])
  for (const id of ids.sort((a, b) => started(a).localeCompare(started(b)))) {
    const random = /[a-z0-9]{8}$/.exec(id)?.[0]
    if (random === undefined) continue
    const agent = id.slice(0, -9)
    const count = (counts.get(agent) ?? 0) + 1
    counts.set(agent, count)
    const same = createHash('sha256').update(`${agent} ${count}`).digest('hex').slice(0, 8)
    names.set(random, same)
    sessions[agent] ??= `${agent}-${same}`
  }
  const replaced = (text) => {
    let result = text.replaceAll(folder, '/home/you').replaceAll(`started_by: ${user}`, 'started_by: you')
    times.forEach((time, index) => {
      result = result.replaceAll(time, new Date(firstTime + index * 700).toISOString())
    })
    for (const [random, same] of names) result = result.replaceAll(random, same)
    return result
  }
  for (const [name, text] of texts) {
    rmSync(path.join(home, name))
    const target = path.join(home, replaced(name))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, replaced(text))
  }
  return sessions
}

async function takePictures(sessions) {
  const server = spawn(
    process.execPath,
    [command, 'open', '--json', '--no-browser', '--port', '0', '--home', home],
    {
      cwd: project,
      env: { ...env, CADRE_TRUST: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const load = createRequire(path.join(await browserPackages(), 'package.json'))
  const browser = await load('playwright-core').chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--hide-scrollbars', '--font-render-hinting=none'],
  })
  try {
    const [line] = await once(server.stdout.setEncoding('utf8'), 'data')
    const { url, address } = JSON.parse(line)
    const lead = sessions.coordinator ?? Object.values(sessions)[0]
    const pictures = {
      runs: ['/?filter=parse-duration', '[role="row"][data-session]'],
      session: [`/sessions/${sessions['test-engineer'] ?? lead}`, '.conversation .approval'],
      timeline: [`/timeline/${lead}`, '.timeline[data-loaded="true"] .bar-call'],
      waiting: ['/waiting', '.approval'],
      tasks: ['/tasks', '[data-task]'],
    }
    const context = await browser.newContext({
      viewport: { width: 1320, height: 640 },
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
      locale: 'en-GB',
      timezoneId: 'UTC',
    })
    const page = await context.newPage()
    // Only the page's clock is set; its timers run.
    await page.clock.setFixedTime(firstTime + 110_000)
    await page.goto(url)
    await page.locator('[data-state="live"]').waitFor()
    mkdirSync(fromRoot('docs', 'images'), { recursive: true })
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme })
      for (const [name, [target, shown]] of Object.entries(pictures)) {
        await page.goto(address + target)
        await page.locator(shown).first().waitFor({ state: 'attached', timeout: 60_000 })
        await page.evaluate('document.fonts.ready')
        const file = fromRoot('docs', 'images', `page-${name}-${colorScheme}.png`)
        const bytes = smallPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
        writeFileSync(file, bytes)
        if (bytes.length > maxBytes)
          say(`${path.basename(file)} has ${bytes.length} bytes, more than ${maxBytes}.`)
        say(`Wrote ${path.relative(process.cwd(), file)} (${Math.round(bytes.length / 1024)} KB)`)
      }
    }
  } finally {
    await browser.close()
    server.kill('SIGKILL')
  }
}
