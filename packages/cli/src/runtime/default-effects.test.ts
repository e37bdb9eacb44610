import type { JudgedCall, SessionSpec, Tool } from '@cadre/core'
import { expect, test } from 'vitest'
import { defaultEffects } from './default-effects.ts'

const judge = (tool: Partial<Tool>) =>
  defaultEffects.judge({ tool } as JudgedCall, {} as SessionSpec, new AbortController().signal)

test.each<[Partial<Tool>, string | undefined]>([
  [{ name: 'read_file', effect: 'read' }, undefined],
  [{ name: 'write_file', effect: 'write' }, undefined],
  [{ name: 'execute_command', effect: 'execute' }, 'ask'],
  [{ name: 'web_fetch', effect: 'outbound' }, 'ask'],
  [{ name: 'get_errors', effect: 'execute', origin: 'built-in' }, undefined],
  [{ name: 'get_errors', effect: 'execute', origin: 'custom' }, 'ask'],
])('%j: %s', async (tool, kind) => {
  expect((await judge(tool))?.kind).toBe(kind)
})
