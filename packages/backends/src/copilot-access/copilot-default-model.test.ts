import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { readCache, updateCache } from './copilot-cache.ts'
import { copilotDefaultModel } from './copilot-default-model.ts'
import { cacheSignIn, cacheSignOut, mayBeSignedIn } from './inspect-copilot.ts'
import { storedSignIns, tokenVariable } from './stored-copilot-sign-in.ts'

/** A user with a server that only records that it was started. */
function user() {
  const home = mkdtempSync(path.join(tmpdir(), 'cadre-default-model-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const program = path.join(home, 'server')
  writeFileSync(program, `#!/bin/sh\ntouch '${home}/started'\n`)
  chmodSync(program, 0o755)
  const store = (name: string, text: string) => {
    mkdirSync(path.join(home, '.config', 'github-copilot'), { recursive: true })
    writeFileSync(path.join(home, '.config', 'github-copilot', name), text)
  }
  const env: Record<string, string> = { HOME: home, PATH: '/usr/bin:/bin', CADRE_COPILOT_SERVER: program }
  return { home, env, store, wasStarted: () => existsSync(path.join(home, 'started')) }
}

const models = [{ id: 'gpt-5', isDefault: true }]

it('starts nothing if there is no server, no sign-in, or Cadre was signed out', async () => {
  const { env, home, store, wasStarted } = user()
  expect(await copilotDefaultModel(env)).toBeUndefined()
  store('auth.db', 'x')
  expect(
    await copilotDefaultModel({ ...env, CADRE_COPILOT_SERVER: path.join(home, 'nothing') }),
  ).toBeUndefined()
  cacheSignOut(env)
  expect(await copilotDefaultModel(env)).toBeUndefined()
  expect(wasStarted()).toBe(false)
})

it('starts nothing if the answer is cached', async () => {
  const { env, store, wasStarted } = user()
  store('auth.db', 'x')
  cacheSignIn(env, 'octocat', Date.now(), models)
  expect(await copilotDefaultModel(env)).toBe('copilot-ls:gpt-5')
  expect(wasStarted()).toBe(false)
})

it('asks the server if a user may have signed in since', async () => {
  const { env, store, wasStarted } = user()
  store('auth.db', 'x')
  cacheSignOut(env)
  store('auth.db', 'xy')
  expect(mayBeSignedIn(env)).toBe(true)
  expect(await copilotDefaultModel(env)).toBeUndefined()
  expect(wasStarted()).toBe(true)
})

it('asks again after a day, and keeps the last answer if there is no new one', async () => {
  const { env, store, wasStarted } = user()
  store('auth.db', 'x')
  cacheSignIn(env, 'octocat', Date.now() - 25 * 60 * 60_000, models)
  expect(await copilotDefaultModel(env)).toBe('copilot-ls:gpt-5')
  expect(wasStarted()).toBe(true)
})

it('does not use the answer for another account', async () => {
  const { env, store, wasStarted } = user()
  store('auth.db', 'x')
  cacheSignIn(env, 'octocat', Date.now(), models)
  expect(await copilotDefaultModel({ ...env, GITHUB_COPILOT_TOKEN: 'ghu_x' })).toBeUndefined()
  expect(wasStarted()).toBe(true)
})

it('caches no token, and survives a foreign file', () => {
  const { env, home } = user()
  const own = { ...env, GITHUB_COPILOT_TOKEN: 'ghu_verySecret' }
  cacheSignIn(own, 'octocat', 1, models)
  expect(readCache(own).account).toEqual({
    kind: 'signed-in',
    user: 'octocat',
    variable: 'GITHUB_COPILOT_TOKEN',
    model: 'gpt-5',
    at: 1,
  })
  writeFileSync(path.join(home, '.local/share/cadre/copilot-account.json'), '[')
  expect(readCache(own)).toEqual({})
  updateCache(own, { modes: { version: '1', list: [] } })
  expect(readCache(own)).toEqual({ modes: { version: '1', list: [] } })
})

it.each([
  [{}, undefined],
  [{ GITHUB_COPILOT_TOKEN: 'a' }, 'GITHUB_COPILOT_TOKEN'],
  [{ GH_COPILOT_TOKEN: 'a', GITHUB_COPILOT_TOKEN: 'b' }, 'GH_COPILOT_TOKEN'],
  [{ GH_COPILOT_TOKEN: 'tid=a', GITHUB_COPILOT_TOKEN: 'b' }, 'GITHUB_COPILOT_TOKEN'],
  [{ GH_TOKEN: 'a', GITHUB_TOKEN: 'b', COPILOT_GITHUB_TOKEN: 'c' }, undefined],
])('the token that the server uses from %j is in %s', (env, variable) => {
  expect(tokenVariable(env)).toBe(variable)
})

it('searches for stored sign-ins where the server stores them', () => {
  const { env, home, store } = user()
  expect(storedSignIns(env)).toBeUndefined()
  store('apps.json', '{}')
  expect(storedSignIns(env)).toContain('apps.json')
  expect(storedSignIns({ ...env, XDG_CONFIG_HOME: path.join(home, 'elsewhere') })).toBeUndefined()
})
