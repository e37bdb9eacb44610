import fs from 'node:fs'
import path from 'node:path'
import { createGate } from '@cadre/core'
import { createGuard, findHooks, interpretLine } from '@cadre/gate'
import { openHome, permissivePolicy } from '@cadre/home'
import { createTools } from '@cadre/tools'
import { allowedCalls, atOnce, cpuOf, hookCommand, longLine, wallOf } from '../lib/gate-work.mjs'
import { print } from '../lib/measure.mjs'
import { readWorkload } from '../lib/workload.mjs'

// The gate of a run with all its rules, in a real folder: the cost of an allowed call, of a line of 1 KB, of a hook.
const { tmp } = readWorkload()
const workspace = path.join(fs.realpathSync(tmp), 'workspace')
fs.mkdirSync(path.join(workspace, 'src', 'deep'), { recursive: true })
fs.writeFileSync(path.join(workspace, 'src', 'deep', 'a.ts'), 'x')
const signal = new AbortController().signal
const agent = { name: 'builder', description: 'b', prompt: 'b', tools: { kind: 'all' } }
const session = {
  id: 'builder-1',
  root: 'builder-1',
  agent,
  systemPrompt: '',
  model: 'none',
  depth: 0,
  chain: ['builder'],
  targets: [],
  completion: 'text',
  delegation: true,
  limits: { maxRounds: 30 },
  workspace,
  work: { content: 'x' },
  created: new Date().toISOString(),
}

const plain = openGate()
const callUs = {}
let wrong
for (const [kind, tool, input] of allowedCalls) {
  const call = callOf(plain.tools, tool, input)
  const verdict = await plain.gate.judge(call, session, signal)
  if (verdict.kind !== 'allow') wrong = `${tool} was not allowed: ${verdict.reason}`
  // A new line each time, so that caches do not help.
  const fresh = (i) =>
    kind === 'command' ? { ...call, input: { command: `${input.command} # ${i}` } } : call
  callUs[kind] = await cpuOf((i) => plain.gate.judge(fresh(i), session, signal))
}
const parseUs = await cpuOf((i) => interpretLine(`${longLine}# ${i}`), 400)

const hook = { hooks: { PreToolUse: [{ type: 'command', command: hookCommand }] } }
fs.mkdirSync(path.join(workspace, '.github', 'hooks'), { recursive: true })
fs.writeFileSync(path.join(workspace, '.github', 'hooks', 'look.json'), JSON.stringify(hook))
const hooked = openGate()
const read = callOf(hooked.tools, 'read_file', { path: 'src/deep/a.ts' })
const asked = hooked.guard.hooks.wouldRun(read, session).length
if (asked !== 1) wrong = `${asked} hooks were found instead of 1`
const hookMs = await wallOf(() => hooked.gate.judge(read, session, signal))
const hundred = await atOnce(async (i) => {
  const call = callOf(hooked.tools, 'read_file', { path: 'src/deep/a.ts' }, i)
  const { kind, reason } = await hooked.gate.judge(call, session, signal)
  if (kind !== 'allow') wrong = `a call with a hook was not allowed: ${reason}`
})
print(wrong ? { error: wrong } : { callUs, parseUs, hookMs, hundred })

function openGate() {
  const home = openHome({ home: path.join(tmp, 'home'), cwd: workspace, env: {} })
  const guard = createGuard({
    home,
    userHome: tmp,
    folder: { folder: workspace, trusted: true },
    trusted: () => true,
    policy: permissivePolicy,
    allow: ['write', 'execute'],
    sandbox: { kind: 'bubblewrap' },
    hooks: findHooks({ project: workspace, userHome: tmp, trusted: () => true }),
    agents: { get: () => undefined, list: () => [agent] },
    environment: process.env,
    tell: (message) => console.error(message),
  })
  const { rules, answerers, reviewers, places } = guard
  return { guard, gate: createGate({ rules, answerers, reviewers }), tools: createTools({ places }) }
}

function callOf(tools, name, input, i = 0) {
  const tool = tools.find((one) => one.name === name)
  const wire = { id: `call_${i}`, type: 'function', function: { name, arguments: JSON.stringify(input) } }
  return { call: wire, tool, input }
}
