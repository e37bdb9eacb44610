import { expect, test } from 'vitest'
import { shortModel } from './short-model.ts'

test.each([
  ['gpt-5', 'gpt-5'],
  ['openai:gpt-5', 'openai:gpt-5'],
  ['scripted:/home/ann/project/playbook.yaml', 'scripted:…/playbook.yaml'],
  ['router:vendor/model:free', 'router:…/model:free'],
  ['vendor/model', '…/model'],
  ['vendor/', 'vendor/'],
  ['', ''],
])('shortens %j to %j', (model, short) => {
  expect(shortModel(model)).toBe(short)
})
