import { expect, it } from 'vitest'
import { findModel } from './find-model.ts'

const models = [
  { vendor: 'copilot', id: 'gpt-5', name: 'GPT-5', family: 'gpt-5' },
  { vendor: 'copilot', id: 'claude-sonnet-4', name: 'Claude Sonnet 4', family: 'claude-sonnet' },
  { vendor: 'azure', id: 'gpt-5', name: 'GPT-5', family: 'gpt-5' },
  { vendor: 'scripted', id: 'one', name: 'Scripted One', family: 'scripted' },
]

it.each([
  ['GPT-5 (copilot)', 'copilot/gpt-5'],
  ['GPT-5 (azure)', 'azure/gpt-5'],
  ['azure/gpt-5', 'azure/gpt-5'],
  ['gpt-5', 'copilot/gpt-5'],
  ['Claude Sonnet 4', 'copilot/claude-sonnet-4'],
  ['claude-sonnet', 'copilot/claude-sonnet-4'],
  ['sonnet', 'copilot/claude-sonnet-4'],
  ['Scripted One (scripted)', 'scripted/one'],
  ['scripted', 'scripted/one'],
])('resolves %s to %s', (wanted, expected) => {
  const found = findModel(wanted, models)
  expect(found && `${found.vendor}/${found.id}`).toBe(expected)
})

it('prefers the vendor of the request if several have a model', () => {
  expect(findModel('GPT-5', models, 'azure')?.vendor).toBe('azure')
})

it.each(['GPT-6 (copilot)', 'GPT-5 mini', 'nothing', ''])('finds no model for %j', (wanted) => {
  expect(findModel(wanted, models)).toBeUndefined()
})
