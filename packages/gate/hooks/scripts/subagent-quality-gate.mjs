// SubagentStop: a worker may stop when its report has the sections of its role. Evidence is its artifact, its last message,
// and the last message of its own transcript. SessionStart marks existing artifacts as older than the session. Stop: the
// same check for a worker that leads its session; the supervisor may stop when each change has a verdict.
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { artifactPlaces, eventOf, field, hooksFolder, readHookInput, realOf, rolesIn } from './hook-input.mjs'
import { missingSections } from './sections.mjs'

const required = {
  researcher: ['Sources Examined', 'Key Findings', 'Recommended Next Agent'],
  architect: ['Recommended Approach', 'Files to Reuse', 'Constraints and Risks'],
  builder: ['Changed Files', 'Local Proofs', 'Unresolved Risks'],
  verifier: ['Verification Report', 'Verdict', 'Failing Commands or Evidence'],
  diagnostician: ['Root Cause', 'Evidence', 'Reproduction', 'Smallest Fix'],
  'vision-operator': ['Observed UI State', 'Evidence', 'Blockers', 'Next Safe Action'],
}
const logs = path.join(hooksFolder, 'logs')
const marks = path.join(logs, 'state')
const maxBytes = 4 * 1024 * 1024

function review(payload) {
  const event = eventOf(payload)
  const session = text(field(payload, 'session_id', 'sessionId'))
  const agentId = text(field(payload, 'agent_id', 'agentId'))
  if (event === 'sessionstart' || event === 'subagentstart') {
    mark('started', event === 'sessionstart' ? session : agentId)
    return undefined
  }
  const isStop = event === 'stop' || event === 'agentstop'
  if (event !== undefined && event !== 'subagentstop' && !isStop) return undefined
  // Copilot CLI reports the end of a worker twice. This event lacks the report.
  if (isStop && agentId !== '') return undefined
  if (isStop && rolesIn(payload).includes('supervisor')) return reviewLead(payload, session)
  const role = rolesIn(payload).find((name) => required[name] !== undefined)
  if (role === undefined) return undefined
  const worker = `${session}/${agentId === '' ? role : agentId}`
  const started = Math.max(timeOf('started', agentId), timeOf('started', session))
  const artifact = artifactOf(role, payload, { worker, started })
  const message = text(field(payload, 'last_assistant_message', 'lastAssistantMessage', 'response'))
  const transcript = lastOfTranscript(text(field(payload, 'agent_transcript_path', 'agentTranscriptPath')))
  const sources = { artifact: artifact.text, message, transcript }
  const given = Object.entries(sources).filter(([, said]) => said.trim() !== '')
  const missing = missingSections(
    given.map(([, said]) => said),
    required[role],
  )
  const isAgain = field(payload, 'stop_hook_active', 'stopHookActive') === true
  // Without any evidence, it is unclear whether the worker or the host omitted the report, so the hook asks only once.
  const isMute = given.length === 0
  const blocks = missing.length > 0 && !isAgain && !(isMute && timeOf('asked', worker) > 0)
  log({
    timestamp: new Date().toISOString(),
    agentId,
    agentType: role,
    status: missing.length === 0 ? 'pass' : 'warn',
    missingChecks: missing,
    enforcementMode: missing.length === 0 ? 'none' : blocks ? 'block' : 'log',
    evidenceSource: sourceOf(given.map(([name]) => name)),
    artifactPath: artifact.path,
    artifactExists: artifact.exists,
    artifactLength: artifact.text.length,
    ...(artifact.stale !== undefined && { artifactStale: artifact.stale }),
    messageLength: message.length,
    transcriptLength: transcript.length,
    hookInputKeys: Object.keys(payload).sort(),
  })
  if (blocks) {
    if (isMute) mark('asked', worker)
    return reasonFor(role, missing, isMute, artifact.stale)
  }
  if (artifact.mark !== undefined) mark('used', artifact.mark, worker)
  if (role === 'builder') mark('changed', session)
  if (role === 'verifier' && missing.length === 0) mark('verified', session)
  return undefined
}

/** A verdict must be newer than the last change. Workers in the background report later, and the supervisor then continues. */
function reviewLead(payload, session) {
  const running = Array.isArray(payload.background_tasks)
    ? payload.background_tasks.filter((task) => task?.type === 'subagent' && task.status === 'running')
    : []
  const isAgain = field(payload, 'stop_hook_active', 'stopHookActive') === true
  if (isAgain || running.length > 0 || timeOf('changed', session) <= timeOf('verified', session))
    return undefined
  return 'The builder has worked since the last complete report of the verifier. Delegate to the verifier, then answer with its verdict.'
}

function reasonFor(role, missing, isMute, stale) {
  const own = `.github/hooks/artifacts/${role}.md`
  const old = stale === undefined ? '' : ` The file ${own} is ${stale}, so it does not count.`
  const what = isMute ? 'There is no report' : `The report lacks these sections: ${missing.join(', ')}`
  const list = isMute ? ` with these sections: ${missing.join(', ')}` : ', complete'
  return `${what}.${old} Write your report${list} to ${own}, with a heading and content for each, and send it as your last message.`
}

/** Returns the artifact, unless it is older than this session or was the evidence of another worker. */
function artifactOf(role, payload, { worker, started }) {
  const places = artifactPlaces(role, payload)
  for (const place of places) {
    const stats = lstatSync(place, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile() || stats.size > maxBytes || realOf(place) !== place) continue
    const said = readFileSync(place, 'utf8')
    const name = `${role} ${stats.mtimeMs} ${createHash('sha256').update(said).digest('hex')}`
    const user = contentOf('used', name)
    const stale =
      stats.mtimeMs < started
        ? 'older than this session'
        : user !== undefined && user !== worker
          ? 'the report of another worker'
          : undefined
    const found = { path: place, exists: true, text: stale === undefined ? said : '' }
    return stale === undefined ? { ...found, mark: name } : { ...found, stale }
  }
  return { path: places[0] ?? '', exists: false, text: '' }
}

/** Returns the worker's own last message. The rest of a transcript includes its instructions, which name every section. */
function lastOfTranscript(file) {
  if (file === '' || !path.isAbsolute(file)) return ''
  try {
    if (statSync(file).size > 16 * maxBytes) return ''
    const lines = readFileSync(file, 'utf8').split(/\r?\n/)
    for (const line of lines.toReversed()) {
      const said = spoken(line)
      if (said !== '') return said
    }
  } catch {
    // If the transcript is missing or invalid, it is no evidence.
  }
  return ''
}

function spoken(line) {
  let entry
  try {
    entry = JSON.parse(line)
  } catch {
    return ''
  }
  const message = entry?.message ?? entry?.data ?? entry
  const role = message?.role ?? entry?.role ?? entry?.type
  if (typeof role !== 'string' || !role.startsWith('assistant')) return ''
  const content = message?.content ?? message?.text
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => text(part?.text)).join('') : ''
}

function sourceOf(names) {
  if (names.length === 0) return 'none'
  if (names.length === 1)
    return { artifact: 'artifact', message: 'lastAssistantMessage', transcript: 'agentTranscriptPath' }[
      names[0]
    ]
  return names[0] === 'artifact' ? 'artifact+payload' : 'combined'
}

// Each mark is a separate file, because hooks of parallel workers run at the same time. File times come from the same clock
// as those of the artifacts.
function markPath(kind, name) {
  return path.join(marks, `${kind}-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`)
}

function mark(kind, name, content = '') {
  if (name === '') return
  try {
    makeLogs()
    if (kind === 'started') forgetOld()
    writeFileSync(markPath(kind, name), content)
  } catch {
    // If the folder is not writable, no mark is kept.
  }
}

/** The log folder has its own .gitignore, so git ignores the logs. */
function makeLogs() {
  if (mkdirSync(marks, { recursive: true }) !== undefined) writeFileSync(path.join(logs, '.gitignore'), '*\n')
}

function forgetOld() {
  const week = 7 * 24 * 60 * 60 * 1000
  for (const name of readdirSync(marks)) {
    const file = path.join(marks, name)
    if (Date.now() - statSync(file).mtimeMs > week) rmSync(file, { force: true })
  }
}

function timeOf(kind, name) {
  if (name === '') return 0
  return statSync(markPath(kind, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function contentOf(kind, name) {
  try {
    return readFileSync(markPath(kind, name), 'utf8')
  } catch {
    return undefined
  }
}

function log(entry) {
  try {
    makeLogs()
    appendFileSync(path.join(logs, 'subagent-quality.jsonl'), `${JSON.stringify(entry)}\n`)
  } catch {
    // A log that cannot be written does not change the answer.
  }
}

/** VS Code reads the decision from a nested field, other hosts from the top level. */
function block(reason, event) {
  const decision = { decision: 'block', reason }
  const hookSpecificOutput = { hookEventName: event === 'stop' ? 'Stop' : 'SubagentStop', ...decision }
  process.stdout.write(`${JSON.stringify({ ...decision, hookSpecificOutput })}\n`)
}

function text(value) {
  return typeof value === 'string' ? value : ''
}

try {
  const payload = readHookInput()
  const reason = review(payload)
  if (reason !== undefined) block(reason, eventOf(payload))
} catch (error) {
  process.stderr.write(`the quality gate failed: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
