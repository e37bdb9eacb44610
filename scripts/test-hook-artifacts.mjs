// Runs the test script that `cadre init` writes into a project, in a new project. With `--cadre`, a run of Cadre then
// proves the same.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fromRoot } from './lib/run.mjs'

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-hooks-')))
const project = path.join(folder, 'project')
const elsewhere = path.join(folder, 'elsewhere')
const hooks = path.join(project, '.github', 'hooks')
const shipped = fromRoot('packages', 'gate', 'hooks')
const harness = path.join('scripts', 'test-hook-artifacts.mjs')
let failures = 0

try {
  mkdirSync(elsewhere, { recursive: true })
  mkdirSync(path.join(project, 'src'), { recursive: true })
  writeFileSync(path.join(project, 'src', 'a.js'), 'export const a = 1\n')
  for (const name of ['copilot-hooks.json', 'scripts'])
    cpSync(path.join(shipped, name), path.join(hooks, name), { recursive: true })
  cpSync(path.join(shipped, 'harness'), path.join(project, 'scripts'), { recursive: true })
  const { status } = spawnSync(process.execPath, [path.join(project, harness)], {
    cwd: elsewhere,
    stdio: 'inherit',
  })
  check('The harness passes', status === 0)
  if (process.argv.includes('--cadre')) proveInCadre()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`)
process.exitCode = failures === 0 ? 0 : 1

/** A worker that exceeds its role, is stopped by the hooks, writes half a report, is sent back, and completes it. */
function proveInCadre() {
  const own = '.github/hooks/artifacts/researcher.md'
  const report = (names) => names.map((name) => `## ${name}\nsomething\n`).join('\n')
  const sections = ['Sources Examined', 'Key Findings', 'Recommended Next Agent']
  const full = report(sections)
  const half = report(sections.slice(0, -1))
  const write = (file, content) => ({ tool: 'write_file', input: { path: file, content } })
  const reportOut = { tool: 'reportOut', input: { report: full } }
  const work = {
    agentName: 'researcher',
    workDescription: 'Find out what a.js holds.',
    reportExpectations: 'What it holds.',
  }
  const lanes = {
    supervisor: [{ calls: [{ tool: 'delegateWork', input: work }] }, { reply: 'Done.' }],
    researcher: [
      { calls: [write('src/a.js', `see ${own}`), write(own, half)] },
      { calls: [reportOut] },
      { calls: [write(own, full)] },
      { calls: [reportOut] },
    ],
  }
  writeFileSync(path.join(project, 'playbook.yaml'), JSON.stringify({ lanes }))
  execFileSync('git', ['init', '-q'], { cwd: project })
  const args = [
    'run',
    '--json',
    '--trust',
    '--team',
    'supervisor',
    '--model',
    'scripted:playbook.yaml',
    'Look at a.js',
  ]
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fromRoot('packages/cli/bin/cadre.js'), ...args],
    {
      cwd: project,
      encoding: 'utf8',
      // Excludes hooks and settings of the current user.
      env: { PATH: process.env.PATH, HOME: elsewhere },
    },
  )
  const events = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  check(`Cadre runs the team (${status} ${stderr.trim()})`, events.at(-1)?.status === 'completed')
  const settled = events.filter(
    (event) => event.type === 'call.settled' && event.session?.startsWith('researcher'),
  )
  const outcome = (at) => settled[at]?.outcome
  check('In Cadre a worker may not edit another file', outcome(0) === 'refused')
  check('In Cadre it may edit its artifact', outcome(1) === 'done')
  const said = events.flatMap((event) => (event.type === 'message.added' ? [event.text] : []))
  check(
    'In Cadre it is sent back for a section that is missing',
    said.some((text) => text.includes('lacks these sections: Recommended Next Agent.')),
  )
  const file = path.join(project, own)
  check('In Cadre its artifact is its evidence', existsSync(file) && readFileSync(file, 'utf8') === full)
  check(
    'In Cadre the other file is as it was',
    readFileSync(path.join(project, 'src/a.js'), 'utf8') === 'export const a = 1\n',
  )
  const log = path.join(hooks, 'logs', 'subagent-quality.jsonl')
  check(
    'In Cadre the quality gate has run as a hook',
    existsSync(log) && /"researcher"/.test(readFileSync(log, 'utf8')),
  )
}

function check(what, holds) {
  if (!holds) failures++
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${what}`)
}
