import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createModels } from '../create-models.ts'
import { listAllModels } from '../list-all-models.ts'
import type { ModelsConfig } from '../models-config.ts'
import { installedPrograms } from './installed-programs.ts'
import { splitCommand } from './split-command.ts'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-path-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

function install(name: string): string {
  const file = path.join(folder, name)
  writeFileSync(file, '#!/bin/sh\n')
  chmodSync(file, 0o755)
  return file
}

function resolve(name: string, options: { config?: ModelsConfig; model?: string } = {}) {
  return createModels({ env: { PATH: folder, HOME: folder }, ...options }).resolve(name)
}

describe('acp:NAME', () => {
  it('explains how to install a program that is missing', async () => {
    expect(await resolve('acp:copilot')).toMatchObject({
      kind: 'unknown',
      unreachable: true,
      reason:
        'GitHub Copilot CLI is not installed: there is no program "copilot". Install it with "npm install -g @github/copilot" and sign in with "copilot login".',
    })
  })

  it('finds programs on PATH, and warns about those that keep their own tools', async () => {
    install('copilot')
    install('codex-acp')
    const copilot = await resolve('acp:copilot/gpt-5')
    expect(copilot).toMatchObject({ kind: 'found', model: { id: 'acp:copilot/gpt-5' } })
    expect(copilot).not.toHaveProperty('warning')
    const codex = await resolve('acp:codex')
    expect(codex).toMatchObject({
      kind: 'found',
      warning: expect.stringMatching(/^Codex keeps its own tools\..*hides your home directory\.$/),
    })
  })

  it('uses programs of the configuration', async () => {
    const command = [install('mine'), '--acp']
    const config = { acp: { programs: { mine: { command } } } }
    expect(await resolve('acp:mine/fast', { config })).toMatchObject({
      kind: 'found',
      model: { id: 'acp:mine/fast' },
    })
    expect(
      await resolve('acp:copilot', { config: { acp: { programs: { copilot: { command } } } } }),
    ).toMatchObject({
      kind: 'found',
    })
  })

  it('is a command line only if the user chose it', async () => {
    const line = `acp:${install('agent')} --acp`
    expect(await resolve(line)).toMatchObject({ kind: 'unknown', firm: true })
    expect(await resolve(line, { model: line })).toMatchObject({ kind: 'found' })
    expect(await resolve(line, { model: 'acp:copilot', config: { aliases: { x: line } } })).toMatchObject({
      kind: 'unknown',
    })
    // A relative path would be a file of the workspace.
    expect(await resolve('acp:./agent', { model: 'acp:./agent' })).toMatchObject({
      kind: 'unknown',
      unreachable: true,
    })
  })

  it('suggests names', async () => {
    expect(await resolve('acp:copilo')).toMatchObject({ kind: 'unknown', nearest: ['acp:copilot'] })
    expect(await resolve('acp:')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringContaining('acp:copilot'),
    })
  })
})

it('lists the programs of this machine', async () => {
  const place = install('opencode')
  const env = { PATH: folder, HOME: folder }
  const found = installedPrograms(env)
  expect(found.map(({ name }) => name)).toEqual(['copilot', 'claude', 'opencode', 'codex', 'gemini'])
  expect(found.filter((one) => one.place !== undefined)).toMatchObject([
    { name: 'opencode', place, tested: '1.18.34' },
  ])
  const listed = await listAllModels({ config: {}, env, cwd: folder, limit: 1, only: ['acp'] })
  expect(listed).toEqual([{ backend: 'acp', models: [{ id: 'acp:opencode' }] }])
})

it.each([
  ['a  b', ['a', 'b']],
  [`"/my programs/a" --x='1 2' ''`, ['/my programs/a', '--x=1 2', '']],
  ['a $HOME *', ['a', '$HOME', '*']],
])('splits %s without a shell', (line, words) => {
  expect(splitCommand(line)).toEqual(words)
})
