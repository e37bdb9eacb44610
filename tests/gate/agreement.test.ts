import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createGate, type JudgedCall } from '@cadre/core'
import { createGuard, findHooks, interpretLine, type Sandbox } from '@cadre/gate'
import { openHome, permissivePolicy } from '@cadre/home'
import { createTools } from '@cadre/tools'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { amount } from '../support/amount.ts'
import { callsOf } from './support/calls.ts'
import { sessionAt } from './support/sessions.ts'

/** Explanations must match the decisions of a run: the same parts, assembled by each. */
const outer = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-agreement-')))
const workspace = path.join(outer, 'project')
afterAll(() => rmSync(outer, { recursive: true, force: true }))
for (const file of [
  'src/a.ts',
  'src/-o',
  'package.json',
  'sub/x',
  '../outside/secret',
  '.cadre/storage/keep',
]) {
  mkdirSync(path.dirname(path.join(workspace, file)), { recursive: true })
  writeFileSync(path.join(workspace, file), 'x\n')
}
writeFileSync(
  path.join(workspace, '.cadre/storage/terminal-cmd-allowlist.yaml'),
  'npm: true\nnode: true\ngit add: true\nrm: ask\ncurl: deny\ntouch: true\n',
)
symlinkSync('../outside', path.join(workspace, 'out'))
execFileSync('git', ['init', '-q'], { cwd: workspace })

const session = sessionAt(workspace)
const kinds: readonly Sandbox[] = [
  { kind: 'bubblewrap' } as Sandbox,
  { kind: 'none', reason: 'this test wants none' },
]

function open(sandbox: Sandbox, noHuman: boolean) {
  const guard = createGuard({
    home: openHome({ home: path.join(workspace, '.cadre'), cwd: workspace, env: {} }),
    userHome: outer,
    folder: { folder: workspace, trusted: true },
    trusted: () => true,
    policy: permissivePolicy,
    noHuman,
    sandbox,
    hooks: findHooks({ project: workspace, userHome: outer, trusted: () => true }),
    agents: { get: () => undefined, list: () => [session.agent] } as never,
    environment: process.env,
    tell: () => {},
  })
  const { rules, answerers, reviewers, places } = guard
  return {
    run: createGate({ rules, answerers, reviewers }),
    explain: createGate({ ...guard.withoutHooks(() => {}), reviewers: [] }),
    tools: createTools({ places }),
  }
}

describe.each(kinds)('with the sandbox $kind', (sandbox) => {
  it.each([false, true])('a run decides 500 calls as explained (without a person: %s)', async (noHuman) => {
    const one = open(sandbox, noHuman)
    const decisions = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(callsOf, async ({ tool: name, input }) => {
        const tool = one.tools.find((candidate) => candidate.name === name)
        const wire = {
          id: 'call_1',
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        }
        const judged = { call: wire, tool, input } as unknown as JudgedCall
        const { signal } = new AbortController()
        const explained = await one.explain.judge(judged, session, signal)
        const decided = await one.run.judge(judged, session, signal)
        expect(decided).toEqual(explained)
        decisions.set(decided.kind, (decisions.get(decided.kind) ?? 0) + 1)
        // An allowed line must have a plan, because nothing else could run it.
        if (decided.kind === 'allow' && input.command !== undefined)
          expect(interpretLine(input.command).plan, input.command).toBeDefined()
        if (noHuman) expect(decided.kind).not.toBe('ask')
      }),
      { seed: 20_261_116, numRuns: amount({ usual: 80, deep: 500 }) },
    )
    for (const kind of noHuman ? ['allow', 'deny'] : ['allow', 'ask', 'deny'])
      expect(decisions.get(kind) ?? 0, kind).toBeGreaterThan(10)
  })
})
