import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { JsonObject } from '@cadre/core'
import { chooseRoute, fillTemplate, isTemplateFilled, openHome, openRoutes, readRoutes } from '@cadre/home'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readTeamHome } from './load-team.ts'

const read = (text: string) => readRoutes(text, 'inbox/routes.yaml')
const faults = (text: string) => read(text).diagnostics.map(({ line, message }) => `${line}: ${message}`)

describe('routes', () => {
  it('send a line to the first match', () => {
    const { routes, diagnostics } = read(`routes:
  - from: [slack-*, chat.jsonl]
    match: {user: boss, channel: [C1, "D*"]}
    to: planner
    conversation: "{channel}"
    text: "{text}"
  - from: github
    match: {body.draft: false, body.number: 7, body.labels: bug, body.milestone: null}
    task: {file: tasks/triage, title: "Look", who: [a, b], tags: x, priority: A, description: d, approval_required: true}
  - {from: "*", drop: true}
`)
    expect(diagnostics).toEqual([])
    const kindOf = (file: string, data: JsonObject) => {
      const route = chooseRoute(routes, file, data)
      return route && `${route.line} ${route.kind}`
    }
    expect(kindOf('slack-messages', { user: 'boss', channel: 'D77' })).toBe('2 agent')
    expect(kindOf('chat', { user: 'boss', channel: 'C1' })).toBe('2 agent')
    expect(kindOf('slack-messages', { user: 'bossy', channel: 'C1' })).toBe('10 drop')
    const body = { draft: false, number: 7, labels: ['ui', 'bug'] }
    expect(kindOf('github', { body })).toBe('7 task')
    expect(kindOf('github', { body: { ...body, milestone: 1 } })).toBe('10 drop')
    expect(kindOf('github', { body: { ...body, number: '7' } })).toBe('10 drop')
    expect(routes[1]).toMatchObject({
      task: {
        file: 'triage.task.md',
        who: ['a', 'b'],
        tags: ['x'],
        priority: 'A',
        fields: { description: 'd', approval_required: 'true' },
      },
    })
  })

  it.each([
    ['a: 1', '1: There is no key "a" here. The only key is routes.'],
    ['routes: 5', '1: routes must be a list.'],
    ['routes:\n  - 5', '2: A route must be a mapping of keys to values.'],
    ['routes:\n  - to: a', '2: A route needs "from"'],
    ['routes:\n  - from: a', '2: A route needs exactly one of to, task and drop, but this route has none'],
    [
      'routes:\n  - {from: a, to: b, drop: true}',
      '2: A route needs exactly one of to, task and drop, but this route has to and drop.',
    ],
    ['routes:\n  - from: a\n    drop: false', '3: drop can only be true.'],
    ['routes:\n  - from: a\n    t: b', '3: There is no key "t" in a route. Did you mean to'],
    ['routes:\n  - from: a\n    to: b\n    match: [x]', '4: match must be a mapping of fields'],
    ['routes:\n  - from: a\n    to: b\n    match: {x: /y+/}', '4: match.x looks like a regular expression'],
    ['routes:\n  - from: a\n    to: b\n    match: {x: {y: 1}}', '4: match.x must be a string'],
    ['routes:\n  - from: a\n    task: {title: t}', '3: task needs "file"'],
    ['routes:\n  - from: a\n    task: {file: x}', '3: task needs "title"'],
    [
      'routes:\n  - from: a\n    task: {file: ../x, title: t}',
      '3: task.file: "../x.task.md" is not a valid name.',
    ],
    [
      'routes:\n  - from: a\n    task: {file: approvals, title: t}',
      '3: task.file: "approvals.task.md" is not a valid name.',
    ],
    [
      'routes:\n  - from: a\n    task: {file: x, title: t, type: approval_request}',
      '3: A route cannot set the field "type"',
    ],
    [
      'routes:\n  - from: a\n    task: {file: x, title: t, priority: high}',
      '3: task.priority must be one letter.',
    ],
    [
      'routes:\n  - from: a\n    drop: true\n    text: x',
      '2: Only a route with "to" can have conversation and text.',
    ],
    ['routes: [', '1: '],
  ])('report errors with their line: %j', (text, message) => {
    expect(faults(text)[0]).toContain(message)
    expect(read(text).routes).toEqual([])
  })

  it('are empty for an empty file', () => {
    for (const text of ['', '# nothing yet\n', 'routes:\n'])
      expect(read(text)).toEqual({ routes: [], diagnostics: [] })
  })

  it('of the operators can be read', () => {
    const [file] = readTeamHome('operators')
    expect(read(file?.text ?? '')).toMatchObject({ routes: [{ to: 'planner-001' }], diagnostics: [] })
  })

  it('are always those of the current file', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-routes-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const routes = openRoutes(openHome({ home: folder, cwd: folder, env: {} }))
    expect(routes()).toEqual({ kind: 'none' })
    mkdirSync(path.join(folder, 'inbox'))
    writeFileSync(path.join(folder, 'inbox', 'routes.yaml'), 'routes: [{from: a, to: b}]')
    expect(routes()).toMatchObject({ kind: 'read', routes: [{ to: 'b' }] })
    expect(routes()).toBe(routes())
    writeFileSync(path.join(folder, 'inbox', 'routes.yaml'), 'routes: [{from: a, to: c}]')
    expect(routes()).toMatchObject({ routes: [{ to: 'c' }] })
  })
})

describe('templates', () => {
  const data = { a: { b: 'x', n: 5, list: [1] }, text: '{a.b} $& {__proto__}', empty: '', thread: null }

  it('insert data unchanged', () => {
    expect(fillTemplate('{a.b}-{a.n}-{a.list}-{text}-{nothing}-{a.b.c}-{thread|empty|a.b}', data)).toBe(
      'x-5-[1]-{a.b} $& {__proto__}---x',
    )
  })

  it('reach only the data', () => {
    expect(
      fillTemplate('{constructor}{a.constructor.name}{__proto__}{text.length}{a.list.length}', data),
    ).toBe('')
  })

  it('report whether anything was inserted', () => {
    expect([
      isTemplateFilled('{nothing}/{empty}', data),
      isTemplateFilled('{nothing}/{a.n}', data),
      isTemplateFilled('fixed', data),
    ]).toEqual([false, true, true])
  })
})
