// Proves that the hooks of the supervisor team work in this project, as its configuration starts them: read-only workers
// may edit their artifact and nothing else, and the artifact is accepted as evidence. Runs on a copy of the hooks, so it
// changes nothing here. Requires only Node 20: node scripts/test-hook-artifacts.mjs
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const workers = {
  researcher: ['Sources Examined', 'Key Findings', 'Recommended Next Agent'],
  architect: ['Recommended Approach', 'Files to Reuse', 'Constraints and Risks'],
  verifier: ['Verification Report', 'Verdict', 'Failing Commands or Evidence'],
  diagnostician: ['Root Cause', 'Evidence', 'Reproduction', 'Smallest Fix'],
  'vision-operator': ['Observed UI State', 'Evidence', 'Blockers', 'Next Safe Action'],
}
const here = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')
const hooksFolder = path.join('.github', 'hooks')
const claudeSettings = path.join('.claude', 'settings.json')
const project = realpathSync(mkdtempSync(path.join(tmpdir(), 'hook-artifacts-')))
const at = (...names) => path.join(project, ...names)
let failures = 0

try {
  copyHooks()
  const configurations = [...jsonFiles(hooksFolder), claudeSettings].filter((file) => runsScripts(file))
  check('a configuration runs the hooks', configurations.length > 0)
  for (const file of configurations) prove(file)
} finally {
  rmSync(project, { recursive: true, force: true, maxRetries: 5 })
}
console.log(failures === 0 ? 'All checks passed.' : `${failures} checks failed.`)
process.exitCode = failures === 0 ? 0 : 1

function copyHooks() {
  mkdirSync(at('src'))
  writeFileSync(at('src', 'a.js'), 'export const a = 1\n')
  const left = ['artifacts', 'logs'].map((name) => path.join(here, hooksFolder, name))
  const filter = (file) => !left.includes(file)
  if (existsSync(path.join(here, hooksFolder)))
    cpSync(path.join(here, hooksFolder), at(hooksFolder), { recursive: true, filter })
  if (existsSync(path.join(here, claudeSettings)))
    cpSync(path.join(here, claudeSettings), at(claudeSettings), { recursive: true })
}

function jsonFiles(folder) {
  if (!existsSync(at(folder))) return []
  const names = readdirSync(at(folder)).filter((name) => name.endsWith('.json'))
  return names.sort().map((name) => path.join(folder, name))
}

function prove(file) {
  const name = file.replaceAll('\\', '/')
  for (const [worker, sections] of Object.entries(workers)) {
    const own = at(hooksFolder, 'artifacts', `${worker}.md`)
    const said = (what) => `${name}: ${worker} ${what}`
    check(said('may edit its artifact'), ask(file, edit(worker, own)) === undefined)
    check(said('may not edit another file'), isDenied(file, edit(worker, at('src', 'a.js'))))
    const mention = edit(worker, at('src', 'a.js'), `see ${own}`)
    check(said('may not edit another file that mentions its artifact'), isDenied(file, mention))
    const stop = {
      ...payload('SubagentStop', worker),
      agent_id: `${name} ${worker}`,
      stop_hook_active: false,
    }
    const half = sections.slice(0, -1).map((section) => `## ${section}\nsomething\n`)
    mkdirSync(path.dirname(own), { recursive: true })
    writeFileSync(own, half.join('\n'))
    const sentBack = ask(file, stop)
    check(said('may not stop without a section'), sentBack?.decision === 'block')
    check(said('is told which section'), sentBack?.reason?.includes(`: ${sections.at(-1)}.`) === true)
    writeFileSync(own, [...half, `## ${sections.at(-1)}\nsomething\n`].join('\n'))
    check(said('may stop with its artifact as evidence'), ask(file, stop) === undefined)
    rmSync(own)
  }
  const source = at('src', 'a.js')
  check(`${name}: supervisor may not edit a file`, isDenied(file, edit('supervisor', source)))
  check(`${name}: builder may edit a file`, ask(file, edit('builder', source)) === undefined)
  const script = at(hooksFolder, 'scripts', 'security-check.mjs')
  check(`${name}: builder may not edit the hooks`, isDenied(file, edit('builder', script)))
}

function payload(event, agent) {
  return { hook_event_name: event, cwd: project, session_id: 'test', agent_type: agent }
}

function edit(agent, file, content = 'x') {
  const call = { tool_name: 'Write', tool_input: { file_path: file, content } }
  return { ...payload('PreToolUse', agent), ...call }
}

function isDenied(file, call) {
  return ask(file, call)?.hookSpecificOutput?.permissionDecision === 'deny'
}

/** Runs the hooks of a configuration as a host would. Returns their answer, or undefined if they print nothing. */
function ask(file, input) {
  const answers = entriesOf(file, input.hook_event_name).map((entry) => {
    const { stdout, stderr, status } = spawnSync(commandOf(entry), {
      shell: true,
      cwd: at(entry.cwd ?? '.'),
      input: JSON.stringify(input),
      encoding: 'utf8',
      env: { ...process.env, CLAUDE_PROJECT_DIR: project },
    })
    if (status !== 0) return { failed: stderr }
    return stdout.trim() === '' ? undefined : JSON.parse(stdout)
  })
  return answers.find((answer) => answer !== undefined)
}

function runsScripts(file) {
  return ['PreToolUse', 'SubagentStop'].some((event) => entriesOf(file, event).length > 0)
}

/** The hooks of this team. Others in the same file are not tested. */
function entriesOf(file, event) {
  if (!existsSync(at(file))) return []
  const { hooks = {} } = JSON.parse(readFileSync(at(file), 'utf8'))
  return (hooks[event] ?? [])
    .flatMap((entry) => entry.hooks ?? [entry])
    .filter((entry) => /\b(?:security-check|subagent-quality-gate)\.mjs\b/.test(commandOf(entry)))
}

function commandOf({ command = '', bash, powershell, windows }) {
  return (process.platform === 'win32' ? (windows ?? powershell) : bash) ?? command
}

function check(what, holds) {
  if (!holds) failures++
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${what}`)
}
