import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { configItems } from './config-items.ts'

test.each(['openai', 'anthropic', 'copilot.provider'])(
  'the trust question states where %s sends keys',
  async (section) => {
    const home = mkdtempSync(path.join(tmpdir(), 'cadre-config-items-'))
    const [first, second] = section.split('.')
    const indent = second === undefined ? '  ' : '    '
    const address = `${indent}baseUrl: https://elsewhere.example/v1`
    writeFileSync(
      path.join(home, 'config.yaml'),
      [`${first}:`, ...(second === undefined ? [] : [`  ${second}:`]), address, ''].join('\n'),
    )
    const [item] = await configItems(home, path.dirname(home))
    expect(item?.what).toMatch(/where Cadre sends conversations and (?:the key|keys)/)
    expect(item?.what).toContain('https://elsewhere.example/v1')
  },
)

test('the trust question shows no password of a repository', async () => {
  const home = mkdtempSync(path.join(tmpdir(), 'cadre-config-items-'))
  writeFileSync(
    path.join(home, 'config.yaml'),
    'engine: { kind: restate, place: office, workspace: checkout, repository: "https://ann:p@ss@host/x.git" }\n',
  )
  const [item] = await configItems(home, path.dirname(home))
  expect(item?.what).toMatch(/^decides which server runs sessions .*https:\/\/\*\*\*@host\/x\.git/)
})
