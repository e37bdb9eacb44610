import { createTools } from '@cadre/tools'
import { expect, it } from 'vitest'
import { claudeTools, copilotTools, vscodeTools } from '../../packages/gate/src/hooks/host-tools.ts'

it.each([
  ['Claude Code', claudeTools],
  ['Copilot CLI', copilotTools],
  ['VS Code', vscodeTools],
])('hooks for edits in %s see every tool that changes the content of files', (_, names) => {
  const edits = createTools().filter((tool) => tool.class === 'edit' && tool.effect === 'write')
  const known = edits.map(({ name }) => name).filter((name) => Object.hasOwn(names, name))
  // Creating a directory changes no content. Claude Code and Copilot CLI have no tool for it.
  expect([...known, 'create_directory']).toEqual(expect.arrayContaining(edits.map(({ name }) => name)))
  expect(known.length).toBeGreaterThan(1)
})
