import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import type { Draft, Question, Report } from '@cadre/core'
import { Suspended } from '@cadre/core'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { specOf } from '../format/journal.spec-helpers.ts'
import {
  dead,
  edit,
  pathOf,
  record,
  said,
  say,
  temporaryHome,
  testEngine,
  textOf,
} from './engine.spec-helpers.ts'

const never = new AbortController().signal

describe('a session', () => {
  it('is a file that anyone can read', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    expect(run.recorded).toEqual([])
    const call = { id: '7', type: 'function', function: { name: 'look', arguments: '{}' } } as const
    const entries = await run.step('a', () => [
      { role: 'user', content: 'Look.\nNow.\n' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'event', type: 'call.started', call: '7' },
    ])
    expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3])
    const file = parse(textOf(home, 'lead-1'))
    expect(file).toMatchObject({
      session_id: 'lead-1',
      agent_id: 'lead',
      status: 'active',
      metadata: { outcome: null },
    })
    expect(file.messages).toEqual(entries)
    await engine.close()
  })

  it('records entries in the order in which work finishes, and those of one step together', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    let finish: (drafts: Draft[]) => void = () => {}
    const slow = run.step('slow', () => new Promise<Draft[]>((resolve) => (finish = resolve)))
    const quick = run.step('quick', () => [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
    ])
    await quick
    finish([{ role: 'user', content: 'c' }])
    await slow
    expect(said((await engine.read('lead-1'))?.entries)).toEqual(['a', 'b', 'c'])
    await engine.close()
  })

  it('records how it ended, and is not changed when it is only opened again', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    for (const [outcome, status] of [
      ['completed', 'completed'],
      ['incomplete', 'completed'],
      ['error', 'error'],
      ['cancelled', 'error'],
    ] as const) {
      const spec = specOf(`lead-${outcome}`)
      const run = await engine.open(spec)
      await say(run, 'one')
      await run.end({ kind: 'ended', outcome })
      expect(await engine.read(spec.id)).toMatchObject({ status, outcome, spec })
      const before = statSync(pathOf(home, spec.id))
      const again = await engine.open(spec)
      expect(said(again.recorded)).toEqual(['one'])
      expect(again.changes()).toBeUndefined()
      expect(statSync(pathOf(home, spec.id))).toEqual(before)
      await say(again, 'two')
      expect(await engine.read(spec.id)).toMatchObject({ status: 'active', outcome: undefined })
      await again.end({ kind: 'suspended', questions: [{ session: 'lead-1', name: 'q' }] })
      expect(await engine.read(spec.id)).toMatchObject({ status: 'sleeping', outcome: undefined })
      expect(parse(textOf(home, spec.id)).messages).toHaveLength(2)
    }
    await engine.close()
    expect(readdirSync(home.at('storage', 'leases'))).toEqual([])
    expect(readdirSync(home.at('storage', 'wal'))).toEqual([])
  })

  it('is active again when it resumes after sleeping', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    await say(run, 'one')
    await run.end({ kind: 'suspended', questions: [] })
    await engine.open(specOf('lead-1'))
    expect((await engine.read('lead-1'))?.status).toBe('active')
    await engine.close()
  })

  it('counts as ended if its last entry says so, even if the process died before it updated the header', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: dead })
    const report = { type: 'report', session: 'lead-1', status: 'incomplete' }
    await record(await first.open(specOf('lead-1')), [{ role: 'event', type: 'session.ended', report }])
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    expect(run.recorded).toHaveLength(1)
    expect(await engine.read('lead-1')).toMatchObject({ status: 'completed', outcome: 'incomplete' })
    await engine.close()
    expect(readdirSync(home.at('storage', 'leases'))).toEqual([])
  })

  it('can be opened only once at a time', async () => {
    const engine = await testEngine(temporaryHome())
    await engine.open(specOf('lead-1'))
    await expect(engine.open(specOf('lead-1'))).rejects.toMatchObject({ code: 'owned' })
    await engine.close()
  })

  it.each(['', '.', '..', '../x', 'a/b', 'a\\b', 'a\0b', '.hidden', 'a'.repeat(300), '\ud800'])(
    'cannot be named %j',
    async (id) => {
      const home = temporaryHome()
      const engine = await testEngine(home)
      await expect(engine.open(specOf(id))).rejects.toMatchObject({ code: 'usage' })
      await expect(engine.open(specOf('a', { root: id }))).rejects.toMatchObject({ code: 'usage' })
      await expect(engine.read(id)).rejects.toMatchObject({ code: 'usage' })
      expect(existsSync(home.path)).toBe(false)
    },
  )

  it('refuses only the entries that cannot be written', async () => {
    const engine = await testEngine(temporaryHome())
    const run = await engine.open(specOf('lead-1'))
    const bad = record(run, [{ role: 'event', type: 'x', ['k'.repeat(500)]: 1 }])
    const good = say(run, 'fine')
    await expect(bad).rejects.toThrow('key')
    expect(await good).toMatchObject({ seq: 1 })
    await engine.close()
  })
})

describe('reading', () => {
  it('creates nothing', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    expect(await engine.read('lead-1')).toBeUndefined()
    expect(await engine.list()).toEqual([])
    await engine.close()
    expect(existsSync(home.path)).toBe(false)
  })

  it('does not change a file in another format; resuming rewrites it and keeps the original', async () => {
    const home = temporaryHome()
    const text =
      'session_id: a\r\nagent_id: planner\r\nmessages:\r\n- {role: user, content: hi}\r\nmetadata: {owner: boss, a b: 1}\r\nlimits: mine\r\n'
    home.folder('sessions')
    writeFileSync(pathOf(home, 'a'), text)
    const engine = await testEngine(home)
    const stored = await engine.read('a')
    expect(said(stored?.entries)).toEqual(['hi'])
    expect(await engine.list()).toMatchObject([{ id: 'a', agent: 'planner', status: 'sleeping' }])
    expect(textOf(home, 'a')).toBe(text)
    const run = await engine.open(stored?.spec ?? specOf('a'))
    await say(run, 'more')
    expect(readFileSync(`${pathOf(home, 'a')}.orig`, 'utf8')).toBe(text)
    expect(parse(textOf(home, 'a'))).toMatchObject({
      metadata: { owner: 'boss', limits: { maxRounds: 30 }, other: { 'a b': 1, limits: 'mine' } },
      messages: [{ seq: 1 }, { seq: 2, content: 'more' }],
    })
    expect(said((await engine.read('a'))?.entries)).toEqual(['hi', 'more'])
    expect(engine.diagnostics).toMatchObject([{ code: 'journal.normalised' }])
    await engine.close()
    expect(readdirSync(home.at('sessions')).sort()).toEqual(['a.session.yaml', 'a.session.yaml.orig'])
  })

  it('an unreadable journal changes nothing', async () => {
    const home = temporaryHome()
    home.folder('sessions')
    const text = 'session_id: a\nmessages:\n  - role: user\n    content: "x\n'
    writeFileSync(pathOf(home, 'a'), text)
    const engine = await testEngine(home)
    const where = `${pathOf(home, 'a')}:5`
    await expect(engine.read('a')).rejects.toMatchObject({ code: 'corrupt', where })
    await expect(engine.open(specOf('a'))).rejects.toMatchObject({ code: 'corrupt', where })
    expect(await engine.list()).toEqual([])
    expect(engine.diagnostics).toMatchObject([{ code: 'journal.unreadable', where }])
    expect(readdirSync(home.path)).toEqual(['sessions'])
    expect(readdirSync(home.at('sessions'))).toEqual(['a.session.yaml'])
    expect(textOf(home, 'a')).toBe(text)
  })

  it('a list of many sessions reads only the headers', async () => {
    const many = process.env['CADRE_DEEP'] ? 2_000 : 200
    const home = temporaryHome()
    const engine = await testEngine(home)
    const spec = specOf('lead-1', { systemPrompt: 'Be careful. '.repeat(1000) })
    const run = await engine.open(spec)
    await say(run, 'one')
    await run.end({ kind: 'ended', outcome: 'incomplete' })
    const text = textOf(home, 'lead-1')
    for (let index = 2; index <= many; index++) {
      const id = `lead-${index}`
      writeFileSync(
        pathOf(home, id),
        text.replace('session_id: lead-1', `session_id: ${id}\nparent: lead-1/call_${index}`),
      )
      // A sparse gigabyte each: reading whole files would take too long.
      truncateSync(pathOf(home, id), 2 ** 30)
    }
    const list = await engine.list()
    expect(list).toHaveLength(many)
    expect(list.find(({ id }) => id === 'lead-77')).toEqual({
      id: 'lead-77',
      agent: 'lead',
      parent: 'lead-1/call_77',
      status: 'completed',
      outcome: 'incomplete',
      created: spec.created,
      updated: expect.stringMatching(/^2026/),
      work: 'Check the cache.',
    })
    await engine.close()
  })
})

describe('a truncated file', () => {
  it('loses its incomplete last entry when the session resumes, and keeps it in another file', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: dead })
    const run = await first.open(specOf('lead-1'))
    await say(run, 'one')
    await say(run, 'two')
    const whole = textOf(home, 'lead-1')
    const rests: string[] = []
    for (const rest of ['content: two\n', '# end 2']) {
      const at = whole.lastIndexOf(rest)
      writeFileSync(pathOf(home, 'lead-1'), whole.slice(0, at))
      rests.push(whole.slice(whole.indexOf('  - seq: 2'), at))
      const engine = await testEngine(home)
      expect(said((await engine.read('lead-1'))?.entries)).toEqual(['one'])
      const again = await engine.open(specOf('lead-1'))
      expect(said(again.recorded)).toEqual(['one'])
      expect(engine.diagnostics).toMatchObject([
        { code: 'journal.torn', session: 'lead-1', where: pathOf(home, 'lead-1') },
      ])
      await say(again, 'three')
      expect((await engine.read('lead-1'))?.entries).toMatchObject([
        { content: 'one' },
        { type: 'journal.torn' },
        { content: 'three' },
      ])
      expect(readFileSync(`${pathOf(home, 'lead-1')}.torn`, 'utf8')).toBe(rests.join(''))
      await engine.close()
    }
  })

  it('without a complete header is not a session, so the session is created again', async () => {
    const home = temporaryHome()
    const first = await testEngine(home, { identity: dead })
    await say(await first.open(specOf('lead-1')), 'one')
    const whole = textOf(home, 'lead-1')
    for (const [length, kept] of [
      [0, ''],
      [100, whole.slice(0, 100)],
    ] as const) {
      writeFileSync(pathOf(home, 'lead-1'), whole.slice(0, length))
      const engine = await testEngine(home)
      expect(await engine.read('lead-1')).toBeUndefined()
      expect(await engine.list()).toEqual([])
      const run = await engine.open(specOf('lead-1'))
      expect(run.recorded).toEqual([])
      await say(run, 'one')
      expect(said((await engine.read('lead-1'))?.entries)).toEqual(['one'])
      const beside = `${pathOf(home, 'lead-1')}.torn`
      expect(existsSync(beside) ? readFileSync(beside, 'utf8') : '').toBe(kept)
      await engine.close()
    }
  })
})

describe('children', () => {
  it('are started by the runner, and run only once at a time', async () => {
    const engine = await testEngine(temporaryHome())
    const started: string[] = []
    let finish: (report: Report) => void = () => {}
    engine.attach((spec) => {
      started.push(spec.id)
      return new Promise((resolve) => (finish = resolve))
    })
    const run = await engine.open(specOf('lead-1'))
    const spec = specOf('worker-1', { root: 'lead-1', parent: { session: 'lead-1', call: '7' } })
    const both = [run.spawn(spec), run.spawn(spec)]
    const report = { type: 'report', session: 'worker-1' } as Report
    finish(report)
    expect(await Promise.all(both)).toEqual([report, report])
    expect(started).toEqual(['worker-1'])
    await engine.close()
  })
})

describe('a question to a person', () => {
  const question: Question = {
    name: 'approval/7',
    kind: 'approval',
    call: '7',
    text: 'May it?',
    choices: ['approve', 'reject'],
  }

  it('suspends the session if nobody can answer, and is recorded once', async () => {
    const home = temporaryHome()
    const engine = await testEngine(home)
    const run = await engine.open(specOf('lead-1'))
    for (let time = 0; time < 2; time++) {
      const waiting = run.waitFor(question, never)
      await expect(waiting).rejects.toBeInstanceOf(Suspended)
      await expect(waiting).rejects.toMatchObject({
        questions: [{ session: 'lead-1', name: 'approval/7' }],
      })
    }
    expect((await engine.read('lead-1'))?.entries).toMatchObject([
      { role: 'event', type: 'person.asked', ...question },
    ])
    await run.end({ kind: 'suspended', questions: [{ session: 'lead-1', name: 'approval/7' }] })

    // Later, from another process.
    const other = await testEngine(home)
    await engine.close()
    await expect(other.answer('lead-1', 'approval/8', { decision: 'approve' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(other.answer('lead-9', 'approval/7', { decision: 'approve' })).rejects.toMatchObject({
      code: 'not_found',
    })
    const answer = { decision: 'reject', by: 'boss', reason: 'Not today.' }
    expect(await other.answer('lead-1', 'approval/7', answer)).toEqual(answer)
    expect(await other.answer('lead-1', 'approval/7', { decision: 'approve' })).toEqual(answer)
    expect((await other.read('lead-1'))?.status).toBe('sleeping')
    const again = await other.open(specOf('lead-1'))
    expect(await again.waitFor(question, never)).toEqual(answer)
    expect((await other.read('lead-1'))?.entries).toHaveLength(2)
    await other.close()
  })

  it('takes the first of two answers', async () => {
    const asked: AbortSignal[] = []
    const engine = await testEngine(temporaryHome(), {
      answer(_session, { name }, signal) {
        asked.push(signal)
        return name === 'approval/7' ? Promise.resolve({ decision: 'approve' }) : new Promise(() => {})
      },
    })
    const run = await engine.open(specOf('lead-1'))
    expect(await run.waitFor(question, never)).toEqual({ decision: 'approve' })
    const waiting = run.waitFor({ ...question, name: 'approval/8' }, never)
    await say(run, 'meanwhile')
    const answers = [
      engine.answer('lead-1', 'approval/8', { decision: 'reject' }),
      engine.answer('lead-1', 'approval/8', { decision: 'approve' }),
    ]
    expect(await waiting).toEqual({ decision: 'reject' })
    expect(await Promise.all(answers)).toEqual([{ decision: 'reject' }, { decision: 'reject' }])
    expect(asked[1]?.aborted).toBe(true)
    const events = (await engine.read('lead-1'))?.entries.filter((entry) => entry.role === 'event')
    expect(events?.map((entry) => entry.type)).toEqual([
      'person.asked',
      'person.answered',
      'person.asked',
      'person.answered',
    ])
    await engine.close()
  })

  it('ends when it is aborted', async () => {
    const engine = await testEngine(temporaryHome(), { answer: () => new Promise(() => {}) })
    const run = await engine.open(specOf('lead-1'))
    const controller = new AbortController()
    const waiting = run.waitFor(question, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await engine.close()
  })
})

it('applies an edit of an ended session when it resumes', async () => {
  const home = temporaryHome()
  const engine = await testEngine(home)
  const run = await engine.open(specOf('lead-1'))
  await say(run, 'one')
  await run.end({ kind: 'ended', outcome: 'completed' })
  const again = await engine.open(specOf('lead-1'))
  edit(home, 'lead-1', (text) => text.replace('content: one', 'content: other'))
  await say(again, 'two')
  expect(said((await engine.read('lead-1'))?.entries)).toEqual(['other', 'two'])
  expect(again.changes()?.summary).toContain('1 entry added, 1 entry removed')
  await engine.close()
})

it('records without a segment if none can be written', async () => {
  const home = temporaryHome()
  const engine = await testEngine(home)
  const run = await engine.open(specOf('lead-1'))
  writeFileSync(`${home.folder('storage')}/wal`, 'in the way')
  await say(run, 'one', true)
  await say(run, 'two')
  expect(said((await engine.read('lead-1'))?.entries)).toEqual(['one', 'two'])
})

it('treats a copied file as a separate session', async () => {
  const home = temporaryHome()
  const engine = await testEngine(home)
  await say(await engine.open(specOf('lead-1')), 'one')
  writeFileSync(pathOf(home, 'copy-1'), textOf(home, 'lead-1'))
  expect((await engine.list()).map(({ id }) => id)).toEqual(['copy-1', 'lead-1'])
  const stored = await engine.read('copy-1')
  const run = await engine.open(stored?.spec ?? specOf('copy-1'))
  await say(run, 'two')
  expect(parse(textOf(home, 'copy-1'))).toMatchObject({ session_id: 'copy-1', metadata: { root: 'copy-1' } })
  expect(said((await engine.read('copy-1'))?.entries)).toEqual(['one', 'two'])
  expect(said((await engine.read('lead-1'))?.entries)).toEqual(['one'])
  await engine.close()
})
