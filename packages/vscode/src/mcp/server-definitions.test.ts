import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serverDefinitions } from './server-definitions.ts'

function createPathResolver() {
  const root = mkdtempSync(path.join(tmpdir(), 'cadre-vscode-mcp-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const at = (...names: string[]) => path.join(root, ...names)
  for (const folder of ['bin', 'a/bin', 'b']) mkdirSync(at(folder), { recursive: true })
  for (const program of ['bin/cadre', 'a/bin/cadre']) {
    writeFileSync(at(program), '#!/bin/sh\n')
    chmodSync(at(program), 0o755)
  }
  return at
}

test('offers one server per folder, with the folder as workspace', () => {
  const at = createPathResolver()
  const env = { PATH: at('bin') }
  expect(serverDefinitions({ folders: [at('a')], isTrusted: true, env })).toEqual([
    { label: 'Cadre', command: at('bin/cadre'), args: ['mcp', '--workspace', at('a')], cwd: at('a') },
  ])
  const both = serverDefinitions({ folders: [at('a'), at('b')], isTrusted: true, env })
  expect(both.map(({ label }) => label)).toEqual(['Cadre (a)', 'Cadre (b)'])
})

test('offers nothing in Restricted Mode, without a folder, or without the command', () => {
  const at = createPathResolver()
  const env = { PATH: at('bin') }
  expect(serverDefinitions({ folders: [at('a')], isTrusted: false, env })).toEqual([])
  expect(serverDefinitions({ folders: [], isTrusted: true, env })).toEqual([])
  expect(serverDefinitions({ folders: [at('a')], isTrusted: true, env: { PATH: at('b') } })).toEqual([])
})

test('never uses a command that an open folder contains', () => {
  const at = createPathResolver()
  const env = { PATH: [at('a/bin'), at('bin')].join(path.delimiter) }
  const [found] = serverDefinitions({ folders: [at('a')], isTrusted: true, env })
  expect(found?.command).toBe(at('bin/cadre'))
})
