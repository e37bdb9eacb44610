import { expect, it } from 'vitest'
import { readSettingsAgents } from './read-settings.ts'

const path = '/p/.vscode/settings.json'

it.each([
  ['"ToolPermissions": {"type": "specific", "tools": ["read"]}'],
  ['"toolPermission": {"type": "none"}'],
  ['"tool-permissions": {"type": "none"}'],
  ['"toolPermissions": {"type": "none"}, "toolPermissions": {"type": "all"}'],
  ['"toolPermissions": {"type": "none", "type": "all"}'],
])('a typo in a permission grants no tools: %s', (permission) => {
  const agent = `{"name": "a", "description": "d", "systemPrompt": "Review the code.", "delegationPermissions": {"type": "none"}, ${permission}}`
  const text = `{"copilotMultiAgent": {"version": "1.0.0", "entryAgent": "a", "agents": [${agent}]}}`
  const { agents, diagnostics } = readSettingsAgents({ path, text })
  expect(agents[0]?.agent).toMatchObject({ name: 'a', tools: { kind: 'list', names: [] } })
  expect(diagnostics.some(({ message }) => /tool-?permissions?|type/i.test(message))).toBe(true)
})
