import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CadreError, type Model } from '@cadre/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askFor, failureOf, messagesAfter } from '../ask.spec-helpers.ts'
import { createModels } from '../create-models.ts'
import type { ScriptedModel } from './scripted-model.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-playbook-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(text: string, name = 'demo.yaml'): string {
  const file = path.join(folder, name)
  writeFileSync(file, text)
  return file
}

async function load(text: string, name?: string): Promise<ScriptedModel> {
  write(text, name)
  const found = await createModels({ env: {}, cwd: folder }).resolve(`scripted:${name ?? 'demo.yaml'}`)
  if (found.kind === 'unknown') throw new Error(found.reason)
  return found.model as Model as ScriptedModel
}

/** Returns `line: message` of the error, without the folder. */
async function mistakeIn(text: string): Promise<string> {
  const error = await load(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof CadreError)) throw new Error(`expected a CadreError, got ${String(error)}`)
  expect(error.code).toBe('configuration')
  expect(error.where).toMatch(/demo\.yaml:\d+$/)
  return error.message.slice(path.join(folder, 'demo.yaml:').length)
}

describe('a playbook file', () => {
  it('works like any other model', async () => {
    const model = await load(`
description: two agents
model: { window: 200000, price: { input: 1, output: 2 } }
lanes:
  lead:
    - reply: I will ask.
      calls:
        - tool: delegateWork
          input: { agentName: worker, workDescription: "the work: {{work}}" }
      usage: { input: 10, output: 3 }
    - reply: Done.
  worker:
    - reply: It is done.
`)
    expect(model).toMatchObject({
      id: `scripted:${path.join(folder, 'demo.yaml')}`,
      window: 200000,
      price: { input: 1, output: 2 },
    })
    expect(await askFor(model)).toEqual({
      kind: 'reply',
      content: 'I will ask.',
      calls: [
        {
          id: 'call_1_1',
          type: 'function',
          function: {
            name: 'delegateWork',
            arguments: '{"agentName":"worker","workDescription":"the work: Do it."}',
          },
        },
      ],
      usage: { input: 10, output: 3 },
    })
    expect(await askFor(model, { agent: 'worker' })).toEqual({
      kind: 'reply',
      content: 'It is done.',
      calls: [],
    })
    expect(await askFor(model, { round: 2, messages: messagesAfter(1) })).toMatchObject({ content: 'Done.' })
  })

  it.each([
    ['lanes:\n  lead:\n    - replay: x', '3: unknown key "replay" in a step. Did you mean reply, repeat?'],
    ['lanes:\n  lead:\n    - reply: x\n      wiat: 5', '4: unknown key "wiat" in a step. Did you mean wait?'],
    ['lanes:\n  lead:\n    - reply: x\n      wait: soon', '4: "wait" must be a number of at least 0.'],
    ['lanes:\n  lead:\n    - reply: x\n      repeat: 0', '4: "repeat" must be a whole number of at least 1.'],
    [
      'lanes:\n  lead:\n    - expect: x',
      '3: a step needs "reply", "calls", "fail", "hang", "choose" or "steps".',
    ],
    ['lanes:\n  lead:\n    - reply:', '3: "reply" must be text, but it is empty. For no text, write \'\'.'],
    [
      'lanes:\n  lead:\n    - just text',
      '3: a step must be a mapping of keys to values, for example "reply: text".',
    ],
    ['lanes:\n  lead:\n    - fail: x\n      reply: y', '3: a step cannot have both "reply" and "fail".'],
    [
      'lanes:\n  lead:\n    - fail: { code: oops }',
      '3: "code" must be one of: backend, unknown_model, tools_unsupported, timeout, cancelled.',
    ],
    [
      'lanes:\n  lead:\n    - when: x\n      reply: y',
      '3: "when" is allowed only in a "choose" or "sessions" list. Other steps are selected by their position.',
    ],
    ['lanes:\n  lead:\n    - calls:\n        - input: {}', '4: a call needs "tool".'],
    [
      'lanes:\n  lead:\n    - calls:\n        - tool: t\n          input: text',
      '5: "input" must be a mapping of keys to values. For raw text, use "arguments".',
    ],
    [
      'lanes:\n  lead:\n    - calls:\n        - tool: t\n          input: {}\n          arguments: x',
      '4: a call cannot have both "input" and "arguments".',
    ],
    ['lanes:\n  lead:\n    - calls: { tool: t }', '3: "calls" must be a list.'],
    [
      'lanes:\n  lead:\n    - reply: "{{lsat}}"',
      '3: {{lsat}} is unknown. Did you mean last? To write it as text, use \\{{.',
    ],
    [
      'lanes:\n  lead:\n    - reply: "{{result}}"',
      '3: {{result N}} needs a number of at least 1, for example {{result 1}}.',
    ],
    [
      'lanes:\n  lead:\n    - calls:\n        - tool: t\n          input:\n            a: "{{wrok}}"',
      '5: {{wrok}} is unknown. Did you mean work? To write it as text, use \\{{.',
    ],
    [
      'lanes:\n  lead:\n    - reply: x\n      expect: { matches: "/(/" }',
      '4: "matches" is not a valid regular expression: Invalid regular expression: /(/: Unterminated group.',
    ],
    [
      'lanes:\n  lead:\n    - reply: x\n      expect: {}',
      '4: "expect" needs one of: last, work, system, history, not, matches, tools, withoutTools.',
    ],
    [
      'lanes:\n  lead:\n    - reply: x\n      expect: { lats: x }',
      '4: unknown key "lats" in a condition. Did you mean last?',
    ],
    ['lanes:\n  lead:\n    - choose: []', '3: "choose" must have at least one alternative.'],
    [
      'lanes:\n  lead:\n    - choose:\n        - repeat: 2\n          reply: x',
      '4: unknown key "repeat" in an alternative. Known keys: when, reply, calls, stream, usage, stop, fail, hang, expect, wait.',
    ],
    ['lanes:\n  lead:\n    - repeat: 2\n      steps: []', '3: a block must have at least one step.'],
    [
      'lanes:\n  lead:\n    steps: []\n    sessions: []',
      '3: "steps" cannot be at the same level as "sessions". Move it into one of the sessions.',
    ],
    ['lanes:\n  lead:\n    sessions: []', '3: "sessions" must have at least one variant.'],
    [
      'lanes:\n  lead:\n    sessions:\n      - when: x',
      '4: lanes.lead.sessions[0] needs "steps", "default" or both.',
    ],
    [
      'lanes:\n  lead:\n    default: { reply: x, repeat: 2 }',
      '3: "repeat" is not allowed in "default", because "default" repeats forever.',
    ],
    [
      'lanes:\n  lead: hello',
      '2: lane "lead" must be a list of steps, or have "steps", "sessions" or "default".',
    ],
    ['lanes: {}', '1: "lanes" must have at least one lane.'],
    ['lane:\n  lead: []', '1: unknown key "lane" in a playbook. Did you mean lanes?'],
    ['model: { window: big }\nlanes: { a: [] }', '1: "window" must be a whole number of at least 1.'],
    ['model: { price: { input: 1 } }\nlanes: { a: [] }', '1: "price" needs "output".'],
    ['lanes:\n  lead:\n    - reply: x\n      usage: { input: 1 }', '4: "usage" needs "output".'],
    ['- 1', '1: the file must be a playbook: a mapping of keys to values.'],
    ['', '1: the file must be a playbook: a mapping of keys to values.'],
    ['lanes:\n  a: []\n  a: []', '3: this is not valid YAML: Map keys must be unique.'],
    ['lanes:\n  lead: &x\n    - *x', '3: the alias *x has no usable value.'],
  ])('reports errors with their place: %j', async (text, mistake) => {
    expect(await mistakeIn(text)).toBe(mistake)
  })

  it('supports anchors and aliases', async () => {
    const model = await load('lanes:\n  a: &same\n    - reply: x\n  b: *same')
    expect(await askFor(model, { agent: 'b' })).toMatchObject({ content: 'x' })
  })

  it('names its line if a lane runs out', async () => {
    const model = await load('lanes:\n  other: []\n  lead:\n    - reply: x')
    const failure = await failureOf(model, { round: 2, messages: messagesAfter(1) })
    expect(failure).toEqual({
      kind: 'failed',
      code: 'backend',
      message: `${path.join(folder, 'demo.yaml')}:3: lane "lead" has 1 step, but "lead" is in round 2. The last message was: "result of call_1_1".`,
    })
  })

  it('reports unused lines with their place', async () => {
    const model = await load('lanes:\n  lead:\n    - reply: x\n    - reply: y\n')
    await askFor(model)
    expect(model.leftovers()).toEqual([
      { where: `${path.join(folder, 'demo.yaml')}:4`, agent: 'lead', rounds: { from: 2, to: 2 } },
    ])
  })

  it('applies from the next session after a change, not earlier', async () => {
    const models = createModels({ env: {}, cwd: folder })
    const open = async () => {
      const found = await models.resolve('scripted:changing.yaml')
      return found.kind === 'found' ? found.model : undefined
    }
    const file = write('lanes: { lead: [{ reply: old }] }', 'changing.yaml')
    const before = (await open())!
    write('lanes: { lead: [{ reply: new one }] }', 'changing.yaml')
    utimesSync(file, 1, 1)
    const after = (await open())!
    expect(await askFor(before)).toMatchObject({ content: 'old' })
    expect(await askFor(after)).toMatchObject({ content: 'new one' })
  })

  it('replaces models that an agent requests by a bare name', async () => {
    write('lanes: { lead: [{ reply: x }] }', 'any.yaml')
    const models = createModels({ env: {}, cwd: folder, model: 'scripted:any.yaml' })
    const found = await models.resolve('claude-sonnet-4.5')
    expect(found).toMatchObject({
      kind: 'found',
      warning: expect.stringContaining('replaces model "claude-sonnet-4.5"'),
    })
    const model = found.kind === 'found' ? found.model : undefined
    expect(await askFor(model!)).toMatchObject({ model: 'claude-sonnet-4.5' })
    // The recorded id must be found again from any folder.
    const again = await createModels({ env: {}, cwd: '/' }).resolve(model!.id)
    expect(again).toMatchObject({ kind: 'found', model: { id: model!.id } })
  })

  it('can have its own catalogue', async () => {
    write('models: { small: { window: 1000 }, large: {} }\nlanes: { lead: [{ reply: x }] }', 'listed.yaml')
    const models = createModels({ env: {}, cwd: folder, model: 'scripted:listed.yaml' })
    const small = await models.resolve('small')
    expect(small).toMatchObject({ kind: 'found', model: { window: 1000 } })
    expect(small).not.toHaveProperty('warning')
    expect(await models.resolve('Small (copilot)')).toMatchObject({
      model: { id: small.kind === 'found' && small.model.id },
    })
    expect(await models.resolve('smal')).toMatchObject({ kind: 'unknown', nearest: ['small'] })
  })

  it.each(['missing.yaml', '', '.', 'missing.yaml#name'])('is unknown if there is none: %j', async (name) => {
    const found = await createModels({ env: {}, cwd: folder }).resolve(`scripted:${name}`)
    expect(found).toMatchObject({
      kind: 'unknown',
      reason: expect.stringMatching(/^there is no playbook at \//),
    })
  })
})
