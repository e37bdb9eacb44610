import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createModels } from '../create-models.ts'
import { findCopilotSdk } from './find-sdk.ts'
import { runtimeEnvironment } from './runtime.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'cadre-sdk-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function install(place: string): string {
  mkdirSync(path.join(place, 'dist'), { recursive: true })
  writeFileSync(path.join(place, 'dist', 'index.js'), '')
  return place
}

describe('findCopilotSdk', () => {
  it('finds the one that Cadre has installed', () => {
    const data = folder()
    const sdk = install(path.join(data, 'cadre', 'copilot', 'node_modules', '@github', 'copilot-sdk'))
    expect(findCopilotSdk({ XDG_DATA_HOME: data })).toBe(sdk)
  })

  it('uses the configured one, or none', () => {
    const data = folder()
    install(path.join(data, 'cadre', 'copilot', 'node_modules', '@github', 'copilot-sdk'))
    const own = install(path.join(data, 'own'))
    expect(findCopilotSdk({ XDG_DATA_HOME: data, CADRE_COPILOT_SDK: own })).toBe(own)
    expect(
      findCopilotSdk({ XDG_DATA_HOME: data, CADRE_COPILOT_SDK: path.join(data, 'none') }),
    ).toBeUndefined()
  })
})

describe('copilot-sdk:', () => {
  it('explains how to install the SDK if it is missing', async () => {
    const home = folder()
    const models = createModels({ env: { HOME: home } })
    expect(await models.resolve('copilot-sdk:gpt-5')).toEqual({
      kind: 'unknown',
      name: 'copilot-sdk:gpt-5',
      nearest: [],
      unreachable: true,
      reason: `@github/copilot-sdk is not installed. Run "cadre login --sdk", or install it in ${home}/.local/share/cadre/copilot.`,
    })
  })

  it('needs a model server to work without GitHub', async () => {
    const own = install(folder())
    const models = createModels({ env: { CADRE_COPILOT_SDK: own }, config: { copilot: { offline: true } } })
    await expect(models.resolve('copilot-sdk:m')).rejects.toThrow('copilot.offline requires a model server')
  })
})

describe('runtimeEnvironment', () => {
  const env = {
    PATH: '/bin',
    HOME: '/home/a',
    OPENAI_API_KEY: 'k',
    GH_TOKEN: 't',
    COPILOT_PROVIDER_API_KEY: 'k',
  }

  it('passes what the runtime needs, and no keys', () => {
    expect(runtimeEnvironment(env, '/private', false)).toMatchObject({ PATH: '/bin', HOME: '/home/a' })
    expect(Object.keys(runtimeEnvironment(env, '/private', false)).join()).not.toMatch(/KEY|TOKEN/)
  })

  it('hides the home from the runtime if it needs no account', () => {
    expect(runtimeEnvironment(env, '/private', true)).toMatchObject({
      HOME: '/private',
      COPILOT_OFFLINE: 'true',
    })
  })
})
