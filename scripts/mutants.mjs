// Checks that the tests can fail: makes one small mistake at a time in the engine or the gate, runs their tests, and expects
// them to notice. `node scripts/mutants.mjs [word]` runs those whose name contains the word.
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const core = 'packages/core/src'
const gate = 'packages/gate/src'
const engine = ['tests/engine']
const commands = [
  'packages/gate/src/commands',
  'tests/gate/commands-injection.test.ts',
  'tests/gate/bypass.test.ts',
]

const budgets = [
  'tests/engine/budget.test.ts',
  'tests/engine/budget-trees.test.ts',
  'tests/engine/spending.test.ts',
]
const lives = ['tests/engine/lost.test.ts']
const mutants = [
  [
    'a call in doubt is simply run again',
    `${core}/session/doubt.ts`,
    "if (tool.effect === 'read') return 'run'",
    "return 'run'",
  ],
  [
    'a write found done is run again',
    `${core}/session/doubt.ts`,
    "if (found === 'done')",
    "if (found === 'unknown')",
  ],
  [
    'starts of effects are not durable',
    `${core}/session/decide.ts`,
    "return read?.kind === 'ready' && read.judged.tool.effect !== 'read'",
    'return false',
  ],
  ['results are recorded as they finish', `${core}/session/settle.ts`, 'if (!(await turn)) return []', ''],
  [
    'an effect that finished early is not noted',
    `${core}/session/settle.ts`,
    'if (order.next !== index &&',
    'if (false &&',
  ],
  [
    'calls run one after the other',
    `${core}/session/settle.ts`,
    'const ends = await Promise.allSettled(settling)',
    'const ends = await Promise.allSettled(settling); await new Promise(() => {})',
  ],
  [
    'cancelling does not reach children',
    `${core}/tree/tree.ts`,
    'for (const child of this.#children) child.stop(below)',
    '',
  ],
  [
    'a cancelled delegation is settled instead of left open',
    `${core}/tree/delegate.ts`,
    "if (report.status === 'cancelled' && session.node.signal.aborted) {",
    'if (false) {',
  ],
  [
    'the agent’s tools are not enforced',
    `${core}/rules/create-gate.ts`,
    'if (found.allowed) return read()',
    'return read()',
  ],
  [
    'a denial is only an opinion',
    `${core}/rules/create-gate.ts`,
    'ask: 1, deny: 2 } as const\nconst risks',
    'ask: 1, deny: 0 } as const\nconst risks',
  ],
  [
    'a broken rule allows',
    `${core}/rules/create-gate.ts`,
    '.catch((error) => broken(rule, error))',
    '.catch(() => undefined)',
  ],
  [
    'a circle is only somebody one may not delegate to',
    `${core}/tree/delegation.ts`,
    'if (circle !== undefined) return circle\n',
    '',
  ],
  [
    'hooks are not asked about what a rule has changed',
    `${core}/rules/create-gate.ts`,
    "said.by === 'hook' ? withoutHooks : at.rules",
    'withoutHooks',
  ],
  [
    'a carried delegation is a command',
    `${core}/rules/create-gate.ts`,
    'parsed.ok ? carriedDelegation(name, parsed.value) : undefined',
    'undefined',
  ],
  [
    'an agent that exists is replaced by general-purpose',
    `${core}/rules/rules.ts`,
    '  if (of.agents.list().some(({ name }) => nameKey(name) === key)) return undefined\n',
    '',
  ],
  [
    'the chain is not looked at',
    `${core}/tree/specify.ts`,
    'reachable.filter((target) => !chain.includes(target.name))',
    'reachable',
  ],
  ['depth is not limited', `${core}/tree/specify.ts`, 'depth < limits.depth', 'true'],
  [
    'omitted targets grant delegation to delegates',
    `${core}/tree/delegation.ts`,
    "kind: entry ? 'all' : 'none'",
    "kind: 'all'",
  ],
  [
    'rounds are not limited',
    `${core}/session/ask.ts`,
    'if (state.roundsSinceWork >= spec.limits.maxRounds)',
    'if (false)',
  ],
  [
    'a reply is not reserved',
    `${core}/budget/budget.ts`,
    'tokens: input + output, nanos',
    'tokens: input, nanos',
    budgets,
  ],
  [
    'a budget looks only at itself',
    `${core}/budget/budget.ts`,
    'account !== undefined; account = account.#parent)',
    'account === this; account = account.#parent)',
    budgets,
  ],
  [
    'a request in flight when the process died is free',
    `${core}/budget/spending.ts`,
    'answered(undefined)\n      open',
    'open',
    budgets,
  ],
  [
    'a retry is not counted',
    `${core}/budget/model-gateway.ts`,
    'await meter.settle(spent)\n',
    "if (begun.kind === 'begun') return begun\n",
    budgets,
  ],
  [
    'what was spent before is forgotten',
    `${core}/budget/accounts.ts`,
    'spendingBelow(this.#engine, spec.id, accountRoot(spec))',
    'Promise.resolve({ tokens: 0, nanos: 0, calls: 0 })',
    budgets,
  ],
  [
    'tasks are not charged to who created them',
    `${core}/budget/accounts.ts`,
    'return { session: spec.id, root: accountRoot(spec) }',
    'return undefined',
    budgets,
  ],
  [
    'waiting parents keep their slot',
    `${core}/session/session.ts`,
    'if (!session.holdsSlot) return wait()',
    'return wait()',
  ],
  [
    'time runs while a person is awaited',
    `${core}/tree/tree.ts`,
    'if (node.#persons++ === 0) node.#pause()',
    'node.#persons++',
  ],
  [
    'an incomplete report is a success',
    `${core}/tree/delegate.ts`,
    "if (report.status === 'completed') {",
    "if (report.status !== 'error') {",
  ],
  [
    'nudges never end',
    `${core}/session/conclude.ts`,
    'if (session.state.nudges[kind] >= nudgeLimits[kind]) return false',
    '',
  ],
  [
    'summaries part results from their calls',
    `${core}/session/context.ts`,
    "messages[cut]?.role !== 'assistant'",
    'false',
  ],
  ['descriptions may have lines', `${core}/session/prompt.ts`, /\.replace\(\/\[\\p\{Cc\}.*\n/, '\n'],
  [
    'a result may close its block',
    `${core}/session/follow-up.ts`,
    "content.replaceAll('</subagent_result', '<\\\\/subagent_result')",
    'content',
  ],
  [
    'a message may stand between a call and its result',
    `${core}/session/state.ts`,
    'if (state.unsettled > 0) state.deferred.push(entry)',
    'if (false) state.deferred.push(entry)',
  ],
  [
    'a message the model has not seen counts as answered',
    `${core}/session/state.ts`,
    'const unseen = takeUnseen(state, entry.asked)',
    'const unseen: Message[] = []',
  ],
  ['the answer to what was removed counts', `${core}/session/state.ts`, 'asked >= seq', 'false'],
  [
    'an unreadable child journal passes for a failed delegation',
    `${core}/tree/delegate.ts`,
    "|| error.code === 'corrupt'",
    '',
  ],
  [
    'a child that runs elsewhere is not counted',
    `${core}/tree/delegate.ts`,
    'if (!session.tree.hasEntered(id)) session.tree.count(report.session, report.sessions)',
    '',
  ],
  [
    'what an agent’s file permits is not looked at',
    `${core}/rules/rules.ts`,
    '    createAgentPermissions(locate),\n',
    '',
  ],
  [
    'a restriction is taken back for a part of a command',
    `${core}/rules/permissions.ts`,
    'loosens ? subject.fitsWhole(rule.pattern) : subject.fitsSome(rule.pattern)',
    'subject.fitsSome(rule.pattern)',
  ],
  [
    'a restriction holds only for a whole command',
    `${core}/rules/permissions.ts`,
    'loosens ? subject.fitsWhole(rule.pattern) : subject.fitsSome(rule.pattern)',
    'subject.fitsWhole(rule.pattern)',
  ],
  [
    'of several files the last answer counts',
    `${core}/rules/permissions.ts`,
    'strictness[rule.action] > strictness',
    'true || strictness[rule.action] > strictness',
  ],
  [
    'paths are permitted as they are written',
    `${core}/rules/permission-path.ts`,
    "if (part === '..') out.pop()",
    "if (part === '') out.pop()",
  ],
  [
    'a pattern for the workspace permits what is outside',
    `${core}/rules/permission-path.ts`,
    '(inside || leadsOut) &&',
    '',
  ],
  [
    'an agent no model may start is started all the same',
    `${core}/tree/delegation.ts`,
    'others.filter((other) => other.modelInvocable !== false)',
    'others',
  ],
  [
    'naming an agent that no model may start is in vain',
    `${core}/tree/delegation.ts`,
    'return others.filter((other) => wanted.has(nameKey(other.name)))',
    'return others.filter((other) => other.modelInvocable !== false && wanted.has(nameKey(other.name)))',
  ],
  [
    'forbidding Task leaves another way to delegate',
    `${core}/vocabulary/select-tools.ts`,
    "(tool.kind === 'delegate' || tool.kind === 'team') &&",
    'false &&',
  ],
  [
    'a class word is taken for one tool',
    `${core}/vocabulary/select-tools.ts`,
    "if (meaning.kind === 'class')",
    "if (false && meaning.kind === 'class')",
  ],
  [
    'a name that shows a command gives a shell',
    `${core}/vocabulary/vocabulary-tools.ts`,
    "      'runCommands',\n",
    "      'runCommands',\n      'terminalLastCommand',\n",
  ],
  [
    'who calls an agent of the background waits',
    `${core}/tree/delegate.ts`,
    'return !wait || session.ports.agents.get(target)?.background === true',
    'return !wait',
  ],
  [
    'a changed file changes what runs in the background',
    `${core}/tree/delegate.ts`,
    'if (session.state.background.has(judged.call.id)) {',
    'if (isBackground(session, judged)) {',
  ],
  [
    'a call raises a limit of the agent',
    `${core}/tree/specify.ts`,
    'Math.min(asked ?? Number.MAX_SAFE_INTEGER, own ?? usual)',
    'asked ?? own ?? usual',
  ],
  [
    'of several models that fit, the first is paid for',
    `${core}/vocabulary/match-model.ts`,
    'found.length === 1 ? found[0] : undefined',
    'found[0]',
  ],
  [
    'a family is any of its variants',
    `${core}/vocabulary/match-model.ts`,
    '.filter((entry) => entry.words.every((word) => word === family || makers.includes(word)))',
    '',
  ],
  ['ids may repeat', `${core}/session/ask.ts`, 'state.callIds.has(id) || seen.has(id)', 'false'],
  [
    'arguments that a hook changes are not judged again',
    `${core}/rules/create-gate.ts`,
    'withoutHooks : at.rules,\n      start: 0,',
    'withoutHooks : at.rules,\n      start: withoutHooks.length,',
  ],
  [
    'arguments that a hook changes are not checked',
    `${core}/rules/create-gate.ts`,
    'if (checked.issues !== undefined) {\n      const reason = `it was given',
    'if (false) {\n      const reason = `it was given',
  ],
  [
    'a hook answers a firm question',
    `${core}/rules/create-gate.ts`,
    "(verdict.firm === true && answer.kind === 'allow')",
    'false',
  ],
  [
    'what is approved is not judged once more',
    `${core}/session/settle.ts`,
    "session.heldNow.has(call.id) && held['boundTo'] === undefined",
    'true',
  ],
  [
    'a rejection is an approval',
    `${core}/session/settle.ts`,
    "answer.decision !== 'approve' && answer.decision !== approveSession",
    'false',
  ],
  [
    'a grant covers everything',
    `${core}/session/decide.ts`,
    'grants.every((grant) => session.state.grants.has(grant))',
    'session.state.grants.size > 0',
  ],
  [
    'calls judged together are not counted',
    `${core}/session/decide.ts`,
    'draftsOf(session, countedAnew(session, decided))',
    'draftsOf(session, decided)',
  ],
  [
    'controls stay with the entry session',
    `${core}/tree/specify.ts`,
    'parent === undefined ? request.controls : parent.spec.controls',
    'request.controls',
  ],
  ['a blocked prompt is sent all the same', `${core}/session/begin-work.ts`, 'if (!prompt.taken) return', ''],
  [
    'a stop from outside is forgotten',
    `${core}/session/run-session.ts`,
    'stopEnding(session) ?? stoppedFromOutside(session)',
    'stopEnding(session)',
  ],
  ['a lost life goes on', `${core}/tree/tree.ts`, 'this.#isLost = true', '', lives],
  [
    'a lost life records what it was at',
    `${core}/session/session.ts`,
    'requireLife(session)\n    return drafts',
    'return drafts',
    lives,
  ],
  [
    'a lost life is reported as ended',
    `${core}/session/run-session.ts`,
    'requireLife(session)\n    // The report is still valid',
    '// The report is still valid',
    lives,
  ],
  [
    'a call in doubt is settled while an earlier life may carry it out',
    `${core}/session/doubt.ts`,
    'await untilStopped(session.run.alone, session.node, undefined)',
    '',
    lives,
  ],
  [
    'a life removes the node of the next one',
    `${core}/tree/tree.ts`,
    'if (this.#nodes.get(spec.id) === node) this',
    'this',
    lives,
  ],
  [
    'a process that stood still believes in its leases',
    'packages/home/src/leases/leases.ts',
    'if (now - this.lastBeat > heartbeatLimit) for',
    'if (false) for',
    lives,
  ],
  [
    'questions do not say whose they are',
    'packages/journal/src/engine/session-run.ts',
    'new Suspended([{ session: this.file.id, name }])',
    "new Suspended([{ session: '', name }])",
    ['tests/engine/questions.test.ts'],
  ],
  [
    'questions of one child hide those of another',
    `${core}/session/settle.ts`,
    'failures.flatMap((failure) => (failure as Suspended).questions)',
    '(failures[0] as Suspended).questions',
    ['tests/engine/questions.test.ts'],
  ],
  [
    'a pause of one tree is a pause of all',
    `${core}/tree/orchestrator.ts`,
    'if (root !== undefined) return runs.known(root)?.pause(breaksOff)\n',
    '',
    ['tests/engine/messages.test.ts'],
  ],
  [
    'the plain model runs in a tree of its own',
    `${core}/tree/specify.ts`,
    '?? request.root',
    '',
    ['tests/engine/completion.test.ts'],
  ],
  [
    'a line that needs a shell is allowed',
    `${gate}/commands/create-command-rule.ts`,
    'if (line.plan === undefined)',
    'if (false)',
    commands,
  ],
  [
    'who runs no commands runs some',
    `${gate}/roles/create-role-rule.ts`,
    "if (commands !== 'copy') return",
    'if (false) return',
    ['tests/gate/roles.test.ts', 'tests/gate/tree.test.ts'],
  ],
]

const wanted = mutants.filter(([name]) => name.includes(process.argv[2] ?? ''))
let survived = 0
for (const [name, file, find, replace, tests = engine] of wanted) {
  const before = readFileSync(file, 'utf8')
  const after = before.replace(find, () => replace)
  if (after === before) {
    console.log(`stale     ${name}: ${file} no longer has what this mutant changes`)
    survived += 1
    continue
  }
  writeFileSync(file, after)
  let caught = false
  try {
    caught = (await runTests(tests)) !== 0
  } finally {
    writeFileSync(file, before)
  }
  if (!caught) survived += 1
  console.log(`${caught ? 'caught   ' : 'SURVIVED '} ${name}`)
}
console.log(`${wanted.length - survived} passed, ${survived} failed`)
process.exitCode = survived === 0 ? 0 : 1

/** The exit code of the tests. A mutant may loop for ever: its whole group of processes is ended then. */
function runTests(tests) {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--testTimeout', '8000', ...tests]
  const child = spawn(process.execPath, args, { stdio: 'ignore', detached: true })
  const end = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 120_000)
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(end)
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Nothing is left of it, as it should be.
      }
      resolve(code ?? 1)
    })
  })
}
