// Proves three things about the hook scripts of the supervisor team, end to end: read-only workers may edit their own
// artifact, they may edit nothing else, and what they wrote there is accepted as evidence. Each script runs as a process of
// its own, started in another folder than the project. With `--cadre` the same is proven in a run of Cadre itself.
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

const workers = {
  researcher: ['Sources Examined', 'Key Findings', 'Recommended Next Agent'],
  architect: ['Recommended Approach', 'Files to Reuse', 'Constraints and Risks'],
  verifier: ['Verification Report', 'Verdict', 'Failing Commands or Evidence'],
  diagnostician: ['Root Cause', 'Evidence', 'Reproduction', 'Smallest Fix'],
  'vision-operator': ['Observed UI State', 'Evidence', 'Blockers', 'Next Safe Action'],
}
const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-hooks-')))
const project = path.join(folder, 'project')
const elsewhere = path.join(folder, 'elsewhere')
const hooks = path.join(project, '.github', 'hooks')
let failures = 0

try {
  mkdirSync(elsewhere, { recursive: true })
  mkdirSync(path.join(project, 'src'), { recursive: true })
  writeFileSync(path.join(project, 'src', 'a.js'), 'export const a = 1\n')
  cpSync(fromRoot('packages', 'gate', 'hooks'), hooks, { recursive: true })
  for (const [worker, sections] of Object.entries(workers)) proveByHand(worker, sections)
  if (process.argv.includes('--cadre')) proveInCadre()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
console.log(failures === 0 ? 'All of it holds.' : `${failures} of these do not hold.`)
process.exitCode = failures === 0 ? 0 : 1

function proveByHand(worker, sections) {
  const own = `.github/hooks/artifacts/${worker}.md`
  const edit = (file, content = 'x') => ({
    hook_event_name: 'PreToolUse',
    cwd: project,
    agent_type: worker,
    tool_name: 'create_file',
    tool_input: { filePath: file, content },
  })
  check(`${worker} may edit its artifact`, run('security-check', edit(path.join(project, own))) === undefined)
  check(`${worker} may not edit another file`, isDenied(edit(path.join(project, 'src/a.js'))))
  check(`${worker} may not edit another file that speaks of it`, isDenied(edit('src/a.js', `see ${own}`)))
  const stop = {
    hook_event_name: 'SubagentStop',
    cwd: project,
    session_id: 's',
    agent_id: worker,
    agent_type: worker,
  }
  const half = sections.slice(0, -1).map((name) => `## ${name}\nsomething\n`)
  mkdirSync(path.dirname(path.join(project, own)), { recursive: true })
  writeFileSync(path.join(project, own), half.join('\n'))
  const sentBack = run('subagent-quality-gate', stop)
  check(`${worker} is sent back for a section that is missing`, sentBack?.decision === 'block')
  check(`${worker} is told which one`, sentBack?.reason?.includes(`: ${sections.at(-1)}.`) === true)
  writeFileSync(path.join(project, own), [...half, `## ${sections.at(-1)}\nsomething\n`].join('\n'))
  check(`${worker} may stop with its artifact as evidence`, run('subagent-quality-gate', stop) === undefined)
}

function isDenied(payload) {
  const said = run('security-check', payload)
  return said?.permissionDecision === 'deny' && said.hookSpecificOutput?.permissionDecision === 'deny'
}

/** What a script says, started far away from it; nothing when it is silent. */
function run(script, payload) {
  const file = path.join(hooks, 'scripts', `${script}.mjs`)
  const { stdout, stderr, status } = spawnSync(process.execPath, [file], {
    cwd: elsewhere,
    input: JSON.stringify(payload),
    encoding: 'utf8',
  })
  if (status !== 0) return { failed: stderr }
  return stdout.trim() === '' ? undefined : JSON.parse(stdout)
}

/** A worker that oversteps, is stopped by the hooks, mirrors half a report, is sent back, and completes it. */
function proveInCadre() {
  // What was proven by hand must not be taken for what Cadre did.
  for (const left of ['artifacts', 'logs']) rmSync(path.join(hooks, left), { recursive: true, force: true })
  const own = '.github/hooks/artifacts/researcher.md'
  const report = (names) => names.map((name) => `## ${name}\nsomething\n`).join('\n')
  const full = report(workers.researcher)
  const half = report(workers.researcher.slice(0, -1))
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
      // Hooks and settings of whoever runs this have no part in it.
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
