import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Clock, Model, ModelResolution } from '@cadre/core'
import { answers, startWire, type Wire, type WireOptions } from '@cadre/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askFor } from './ask.spec-helpers.ts'
import { createModels, type ModelsOptions } from './create-models.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(path.join(tmpdir(), 'cadre-models-'))
  writeFileSync(path.join(cwd, 'a.yaml'), 'lanes: { lead: [{ reply: from the file }] }')
})

const open: Wire[] = []
afterEach(async () => {
  for (const wire of open.splice(0)) await wire.close()
})
async function serve(options: WireOptions): Promise<Wire> {
  const wire = await startWire(answers.reply({ text: 'ok' }), options)
  open.push(wire)
  return wire
}

/** Never times out: these tests are not about the speed of a server. */
const calmClock: Clock = { now: () => Date.now(), after: () => () => {} }

const ask = (name: string | undefined, options: ModelsOptions = {}) =>
  createModels({ env: {}, cwd, clock: calmClock, ...options }).resolve(name)
const modelOf = (found: ModelResolution): Model => {
  if (found.kind === 'unknown') throw new Error(found.reason)
  return found.model
}
const idOf = (found: ModelResolution) =>
  found.kind === 'found' ? found.model.id : `unknown: ${found.reason}`

describe('the default model', () => {
  const scripted = () => `scripted:${path.join(cwd, 'a.yaml')}`
  it.each([
    [
      'the request',
      { model: 'scripted:a.yaml', env: { CADRE_MODEL: 'openai:x' }, config: { model: 'openai:y' } },
    ],
    ['the environment', { env: { CADRE_MODEL: 'scripted:a.yaml' }, config: { model: 'openai:y' } }],
    ['the configuration', { config: { model: 'scripted:a.yaml' } }],
    ['an alias', { config: { model: 'main', aliases: { main: 'second', second: 'scripted:a.yaml' } } }],
    [
      'the next source, if one is blank',
      { model: '', env: { CADRE_MODEL: ' ' }, config: { model: 'scripted:a.yaml' } },
    ],
  ])('comes from %s', async (_, options) => {
    expect(idOf(await ask(undefined, options))).toBe(scripted())
    expect(idOf(await ask('', options))).toBe(scripted())
  })

  it('is unknown if nothing is configured, with a hint', async () => {
    expect(await ask(undefined)).toEqual({
      kind: 'unknown',
      name: '',
      nearest: [],
      reason: expect.stringMatching(
        /Run "cadre setup".*OPENAI_BASE_URL and OPENAI_API_KEY.*--model BACKEND:NAME/,
      ),
    })
  })

  it('is unknown if there is only a server, with the models of the server', async () => {
    const wire = await serve({ models: ['small', 'large'] })
    expect(await ask(undefined, { env: { OPENAI_BASE_URL: wire.url } })).toMatchObject({
      kind: 'unknown',
      nearest: ['openai:small', 'openai:large'],
      reason: expect.stringContaining('--model openai:NAME'),
    })
  })

  it('is the only model of a server', async () => {
    const wire = await serve({ models: ['small'] })
    expect(idOf(await ask(undefined, { env: { OPENAI_BASE_URL: wire.url } }))).toBe('openai:small')
  })

  describe('of an account', () => {
    const backends: ModelsOptions['backends'] = {
      account: async () => ({
        open: async (name) => ({
          kind: 'found',
          model: { id: `account:${name}`, reply: () => Promise.reject(new Error('not asked')) },
        }),
      }),
    }
    const signedIn = () => {
      const asked: number[] = []
      const defaultModel = async () => {
        asked.push(1)
        return 'account:main'
      }
      return { asked, options: { backends, defaultModel } }
    }

    it('is the default if nothing else was chosen, even next to a server', async () => {
      const wire = await serve({ models: ['small'] })
      const { asked, options } = signedIn()
      const models = createModels({ env: { OPENAI_BASE_URL: wire.url }, clock: calmClock, ...options })
      expect(asked).toHaveLength(0)
      const found = await Promise.all([
        models.resolve(undefined),
        models.resolve(' '),
        models.resolve('other'),
      ])
      // A bare name refers to the backend of the default model.
      expect(found.map(idOf)).toEqual(['account:main', 'account:main', 'account:other'])
      expect(asked).toHaveLength(1)
    })

    it.each([
      { model: 'scripted:a.yaml' },
      { env: { CADRE_MODEL: 'scripted:a.yaml' } },
      { config: { model: 'scripted:a.yaml' } },
    ])('is not requested if a model was chosen: %j', async (choice) => {
      const { asked, options } = signedIn()
      expect(idOf(await ask(undefined, { ...options, ...choice }))).toBe(scripted())
      expect(asked).toHaveLength(0)
    })

    it.each([
      { model: 'other' },
      { env: { CADRE_MODEL: 'other' } },
      { config: { model: 'other' } },
      { config: { model: 'mine', aliases: { mine: 'other' } } },
    ])('determines the backend of a chosen bare name: %j', async (choice) => {
      const { asked, options } = signedIn()
      const models = createModels({ env: {}, clock: calmClock, ...options, ...choice })
      expect(idOf(await models.resolve(undefined))).toBe('account:other')
      expect(idOf(await models.resolve('third'))).toBe('account:third')
      expect(asked).toHaveLength(1)
    })

    it('is not requested for a model that is named with its backend', async () => {
      const { asked, options } = signedIn()
      expect(idOf(await ask('scripted:a.yaml', options))).toBe(scripted())
      expect(asked).toHaveLength(0)
    })

    it.each([undefined, '', ' '])('that is missing leaves the server, then a hint: %j', async (none) => {
      const wire = await serve({ models: ['small'] })
      const defaultModel = async () => none
      expect(idOf(await ask(undefined, { defaultModel, env: { OPENAI_BASE_URL: wire.url } }))).toBe(
        'openai:small',
      )
      expect(idOf(await ask(undefined, { defaultModel }))).toMatch(/^unknown: no model is configured/)
    })
  })

  it('does not follow a cycle of aliases', async () => {
    expect(await ask(undefined, { config: { model: 'a', aliases: { a: 'b', b: 'a' } } })).toMatchObject({
      kind: 'unknown',
    })
  })
})

describe('a name', () => {
  it.each([
    ['opnai:gpt', ['openai:gpt']],
    ['script:a.yaml', ['scripted:a.yaml']],
    ['scriptd:a.yaml', ['scripted:a.yaml']],
    ['constructor:x', []],
  ])('of an unknown backend is unknown: %s', async (name, near) => {
    const found = await ask(name)
    expect(found).toMatchObject({
      kind: 'unknown',
      name,
      nearest: near,
      reason: expect.stringMatching(
        /^there is no backend .*\. Backends: scripted, openai, responses, anthropic, copilot-ls, copilot-sdk, acp\.$/,
      ),
    })
  })

  it('of an unknown backend does not become the name of a model', async () => {
    const wire = await serve({})
    const found = await ask('opnai:gpt', { env: { OPENAI_BASE_URL: wire.url } })
    expect(found).toMatchObject({ kind: 'unknown', nearest: ['openai:gpt', 'openai:opnai:gpt'] })
  })

  it('without a backend refers to the default one', async () => {
    const wire = await serve({ models: ['gpt-x', 'qwen3:8b', 'org/model'] })
    const env = { OPENAI_BASE_URL: wire.url }
    for (const name of ['gpt-x', 'qwen3:8b', 'org/model']) {
      expect(idOf(await ask(name, { env }))).toBe(`openai:${name}`)
      expect(idOf(await ask(`openai:${name}`, { env }))).toBe(`openai:${name}`)
    }
    expect(await ask('gpt-x')).toMatchObject({
      kind: 'unknown',
      reason: expect.stringMatching(/^no backend is configured for model "gpt-x"/),
    })
  })

  it('of a server that is not configured is unknown, with a hint', async () => {
    expect(await ask('openai:gpt')).toMatchObject({
      kind: 'unknown',
      name: 'openai:gpt',
      reason: expect.stringContaining('Set OPENAI_BASE_URL'),
    })
    expect(await ask('openai:', { env: { OPENAI_BASE_URL: 'http://127.0.0.1:1' } })).toMatchObject({
      kind: 'unknown',
    })
  })

  it('has the configured window and price', async () => {
    const facts = { window: 5, price: { input: 1, output: 2 } }
    const wire = await serve({ models: ['a', 'b'] })
    const env = { OPENAI_BASE_URL: wire.url }
    expect(await ask('openai:a', { env, config: { models: { 'openai:a': facts } } })).toMatchObject({
      model: facts,
    })
    expect(await ask('openai:a', { env, config: { models: { a: facts } } })).toMatchObject({ model: facts })
    expect(await ask('openai:b', { env, config: { models: { a: facts } } })).not.toHaveProperty(
      'model.window',
    )
    expect(
      await ask('openai:constructor', { env, config: { models: { a: facts }, openai: { list: false } } }),
    ).not.toHaveProperty('model.window')
  })

  it('can refer to an added backend', async () => {
    const model = { id: 'mine:x', reply: async () => ({ kind: 'reply', content: 'x', calls: [] }) as const }
    let loads = 0
    const backends = {
      mine: async () => {
        loads++
        return { open: async () => ({ kind: 'found', model }) as const }
      },
    }
    const models = createModels({ env: {}, cwd, backends })
    expect(loads).toBe(0)
    expect(idOf(await models.resolve('mine:x'))).toBe('mine:x')
  })
})

describe('the list of a server', () => {
  it('decides which names are known, and suggests the nearest', async () => {
    const wire = await serve({ models: ['gpt-5-mini', 'gpt-5', 'o3', 'llama3:latest'] })
    const models = createModels({ env: { OPENAI_BASE_URL: wire.url }, clock: calmClock })
    expect(await models.resolve('openai:gpt-5')).not.toHaveProperty('warning')
    expect(await models.resolve('openai:llama3')).toMatchObject({
      kind: 'found',
      model: { id: 'openai:llama3' },
    })
    expect(await models.resolve('openai:gpt5')).toEqual({
      kind: 'unknown',
      name: 'openai:gpt5',
      nearest: ['openai:gpt-5'],
      reason: `${new URL(wire.url).origin} does not list a model named "gpt5". Choose a listed model, or map the name to one under "aliases" in config.yaml.`,
    })
    expect(await models.resolve('openai:nothing-like-it')).toMatchObject({
      nearest: ['openai:gpt-5-mini', 'openai:gpt-5', 'openai:o3', 'openai:llama3:latest'],
    })
  })

  it('is searched for the names in agent files, and its own name is used', async () => {
    const wire = await serve({ models: ['claude-sonnet-4', 'claude-sonnet-4.5', 'gpt-5-mini', 'gpt-5'] })
    const models = createModels({
      env: { OPENAI_BASE_URL: wire.url },
      clock: calmClock,
      config: {
        models: { 'openai:claude-sonnet-4.5': { window: 7 } },
        aliases: { 'My Favourite (copilot)': 'openai:gpt-5' },
      },
    })
    for (const name of ['Claude Sonnet 4.5 (copilot)', 'anthropic/claude-sonnet-4-5', 'sonnet'])
      expect(await models.resolve(name)).toMatchObject({
        kind: 'found',
        model: { id: 'openai:claude-sonnet-4.5', window: 7 },
      })
    expect(idOf(await models.resolve('openai:GPT-5 mini'))).toBe('openai:gpt-5-mini')
    expect(idOf(await models.resolve('my favourite (Copilot)'))).toBe('openai:gpt-5')
    expect(await models.resolve('Claude Opus 4.6 (copilot)')).toMatchObject({
      kind: 'unknown',
      nearest: ['openai:claude-sonnet-4', 'openai:claude-sonnet-4.5'],
      reason: expect.stringMatching(/"aliases" in config\.yaml/),
    })
    await askFor(modelOf(await models.resolve('Claude Sonnet 4.5')))
    expect(wire.requests[0]?.body).toMatchObject({ model: 'claude-sonnet-4.5' })
  })

  it('is requested once, with the key, for any number of sessions, which share the model', async () => {
    const wire = await serve({ models: ['m'] })
    const models = createModels({
      env: { OPENAI_BASE_URL: wire.url, OPENAI_API_KEY: 'abcdef' },
      clock: calmClock,
    })
    const found = await Promise.all(Array.from({ length: 50 }, () => models.resolve('openai:m')))
    expect(wire.listings).toHaveLength(1)
    expect(wire.listings[0]).toMatchObject({
      path: '/v1/models',
      headers: { authorization: 'Bearer abcdef' },
    })
    expect(new Set(found.map((one) => one.kind === 'found' && one.model)).size).toBe(1)
  })

  it('is requested again if a name is missing from an old one', async () => {
    let now = 0
    const names = ['old']
    const wire = await startWire(answers.hang(), { models: names })
    open.push(wire)
    const clock = { ...calmClock, now: () => now }
    const models = createModels({ env: { OPENAI_BASE_URL: wire.url }, clock })
    expect(idOf(await models.resolve('openai:new'))).toMatch(/^unknown/)
    names.push('new')
    expect(idOf(await models.resolve('openai:new'))).toMatch(/^unknown/)
    now = 5_000
    expect(idOf(await models.resolve('openai:new'))).toBe('openai:new')
    expect(wire.listings).toHaveLength(2)
    now = 299_000
    await models.resolve('openai:old')
    expect(wire.listings).toHaveLength(2)
  })

  it.each([
    ['cannot list', {}, 'the server responded with status 404'],
    ['refuses', { models: answers.problem(401, 'no') }, 'the server responded with status 401'],
    ['breaks', { models: answers.reset() }, 'the connection failed with ECONNRESET'],
    ['does not answer', { models: answers.hang() }, 'the server did not answer within 1000 ms'],
    ['answers nonsense', { models: answers.raw(['nonsense']) }, 'the answer is not JSON'],
    ['is not a model server', { models: answers.raw(['<html>']) }, 'the server responded with a web page'],
    [
      'answers something else',
      { models: answers.raw(['{"hello":1}']) },
      'the response has an unknown format',
    ],
  ])('is skipped, with a warning, if the server %s', async (_, options, reason) => {
    const wire = await serve(options)
    const found = await ask('openai:m', {
      env: { OPENAI_BASE_URL: wire.url },
      clock: reason.includes('within') ? listClock(wire) : calmClock,
    })
    expect(found).toMatchObject({
      kind: 'found',
      warning: `cannot check that ${new URL(wire.url).origin} has the model "m": ${reason}.`,
    })
    expect(await askFor(modelOf(found))).toMatchObject({ content: 'ok' })
  })

  /** The list times out once the server has the request; all other timeouts never fire. */
  const listClock = (wire: Wire): Clock => {
    let now = 0
    const after = (ms: number, callback: () => void) => {
      const isUp = () => {
        now += ms
        callback()
      }
      if (ms === 1000) void wire.listed(1).then(isUp)
      return () => {}
    }
    return { now: () => now, after }
  }

  it('is skipped if the key takes longer', async () => {
    const wire = await serve({ models: ['m'] })
    let isUp = () => {}
    const after: Clock['after'] = (ms, callback) => {
      if (ms === 1000) isUp = callback
      return () => {}
    }
    const keyCommand = `${JSON.stringify(process.execPath)} -e "setTimeout(() => console.log('key'), 1000)"`
    const resolved = ask('openai:m', {
      env: { OPENAI_BASE_URL: wire.url },
      config: { openai: { keyCommand } },
      clock: { ...calmClock, after },
    })
    const timer = setInterval(() => isUp(), 1)
    expect(await resolved).toMatchObject({
      kind: 'found',
      warning: expect.stringMatching(/no key was available within 1000 ms\.$/),
    })
    clearInterval(timer)
    expect(wire.listings).toHaveLength(0)
  })

  it('is not requested if that is configured', async () => {
    const wire = await serve({ models: ['other'] })
    const found = await ask('openai:m', {
      env: { OPENAI_BASE_URL: wire.url },
      config: { openai: { list: false } },
    })
    expect(found).toMatchObject({ kind: 'found' })
    expect(found).not.toHaveProperty('warning')
    expect(wire.listings).toHaveLength(0)
  })

  it.each([
    ['{"data":[{"id":"m","context_length":4096}]}', 4096],
    ['{"data":[{"id":"m","max_model_len":8192},{"id":"n"}]}', 8192],
    ['[{"id":"m"}]', undefined],
    ['{"models":[{"name":"m","context_window":0},null,{}]}', undefined],
  ])('reports the window in its own way: %s', async (body, window) => {
    const wire = await serve({ models: answers.raw([body]) })
    const found = await ask('openai:m', { env: { OPENAI_BASE_URL: wire.url } })
    expect(found).toMatchObject({ kind: 'found' })
    expect(found.kind === 'found' && found.model.window).toBe(window)
    const known = await ask('openai:m', {
      env: { OPENAI_BASE_URL: wire.url },
      config: { models: { 'openai:m': { window: 7 } } },
    })
    expect(known.kind === 'found' && known.model.window).toBe(7)
  })
})

describe('a configuration that cannot work', () => {
  it('is an error when a model is requested', async () => {
    await expect(
      ask('openai:m', { env: { OPENAI_BASE_URL: 'http://model.test', OPENAI_API_KEY: 'abcdef' } }),
    ).rejects.toMatchObject({
      code: 'configuration',
    })
  })
})
