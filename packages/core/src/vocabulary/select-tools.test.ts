import { expect, it } from 'vitest'
import type { Tool } from '../ports/tool.ts'
import { allowsServerTool } from './select-tools.ts'

it.each([
  ['github/*', 'github', 'get_issue', true],
  ['mcp__github', 'github', 'get_issue', true],
  ['mcp__github__get_issue', 'github', 'get_issue', true],
  ['a__b/run', 'a__b', 'run', true],
  ['mcp__a__b__run', 'a__b', 'run', true],
  ['github/*', 'github__evil', 'run', false],
  ['mcp__github', 'github__evil', 'run', false],
  ['mcp__github__*', 'github__evil', 'run', false],
])('%s allows only the tools of that server: %s, %s', (name, server, tool, expected) => {
  const of = { name: `mcp__${server}__${tool}`, server: { name: server, tool }, class: 'other' } as Tool
  expect(allowsServerTool(name, of)).toBe(expected)
})
