import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { allowedCalls, atOnce, cpuOf, hookCommand, longLine, wallOf } from '../lib/gate-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

// Minimal checks: where a path really leads and whether that is inside; the first words of a line, and whether a list
// contains them; a line split at its blanks; a process for a hook, started immediately, without a limit.
const { tmp } = readWorkload()
const workspace = path.join(fs.realpathSync(tmp), 'workspace')
fs.mkdirSync(path.join(workspace, 'src', 'deep'), { recursive: true })
fs.writeFileSync(path.join(workspace, 'src', 'deep', 'a.ts'), 'x')
const list = new Set(['git diff', 'ls'])
let inside = 0

const checks = { read: checkPath, write: checkPath, command: checkCommand }
const callUs = {}
for (const [kind, , input] of allowedCalls) callUs[kind] = await cpuOf(() => checks[kind](input))
const parseUs = await cpuOf((i) => words(`${longLine}# ${i}`), 400)
const hookMs = await wallOf(runHook)
const hundred = await atOnce(runHook)
print(inside === 0 ? { error: 'nothing was checked' } : { callUs, parseUs, hookMs, hundred })

function checkPath({ path: given }) {
  const at = path.resolve(workspace, given)
  const real = fs.existsSync(at) ? fs.realpathSync(at) : path.join(fs.realpathSync(path.dirname(at)), 'new')
  if (real.startsWith(`${workspace}/`)) inside++
}

function words(line) {
  return line.split(/[\s;|&]+/)
}

function checkCommand({ command }) {
  const found = words(command)
  const lines = command.split('&&').map((line) => line.trim())
  if (
    found &&
    lines.every((line) => list.has(line.split(' ', 2).join(' ')) || list.has(line.split(' ', 1)[0]))
  )
    inside++
}

function runHook() {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', hookCommand], { stdio: ['pipe', 'pipe', 'pipe'] })
    child.on('close', resolve)
    child.stdin.end(JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'Read', tool_input: {} }))
  })
}
