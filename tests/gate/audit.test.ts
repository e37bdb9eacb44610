import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { CadreEvent } from '@cadre/core'
import { createAudit, openAuditLog } from '@cadre/gate'
import { openHome } from '@cadre/home'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { sampled } from '../support/amount.ts'

const it = sampled(3)

/** From here, a process finds the built packages. */
const builtPackage = path.join(import.meta.dirname, '..', '..', 'packages', 'cli')

let root: string
let told: string[]
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-audit-')))
  told = []
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const home = () => openHome({ home: path.join(root, 'home'), cwd: root, env: {} })
const file = (day = '2026-11-15') => path.join(root, 'home/events', `${day}.jsonl`)
const read = (day?: string) =>
  readFileSync(file(day), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const open = (environment: NodeJS.ProcessEnv = {}) =>
  openAuditLog({ home: home(), tell: (message) => told.push(message), environment })
const at = '2026-11-15T23:59:59.999Z'
/** Until the lines of this turn of the event loop are written. */
const turn = () => new Promise((resolve) => setImmediate(resolve))
let seq = 0
const event = (body: object): CadreEvent => ({ seq: ++seq, at, session: 's-1', ...body }) as CadreEvent

describe('the audit log', () => {
  it('contains every decision with agent, call, rule and approver, in full and without secrets', async () => {
    const audit = createAudit({ home: home(), tell: () => {}, environment: { MY_TOKEN: 'correct-horse' } })
    const command = `curl -H "Authorization: Bearer abcdefghijklmnop" https://x.test/${'long/'.repeat(400)} correct-horse`
    audit(event({ type: 'session.started', agent: 'lead', model: 'm', work: 'w', root: 's-1', depth: 0 }))
    audit(event({ type: 'round.started', round: 1 }))
    audit(event({ type: 'text.added', round: 1, text: 'correct-horse' }))
    audit(
      event({
        type: 'call.judged',
        call: 'c1',
        agent: 'lead',
        tool: 'execute_command',
        input: JSON.stringify({ command, password: 'x', nested: [{ token: 'abc' }] }),
        decision: 'ask',
        by: 'hook',
        rule: 'hook: .github/hooks/a.json',
        reason: 'because',
        risk: 'HIGH',
        reasons: ['it reaches outside'],
      }),
    )
    audit(
      event({
        type: 'person.asked',
        question: 'approval/c1',
        call: 'c1',
        text: 'May it?',
        choices: ['approve'],
      }),
    )
    audit(
      event({
        type: 'person.answered',
        question: 'approval/c1',
        decision: 'approve',
        by: 'ann',
        reason: 'fine',
      }),
    )
    audit(event({ type: 'call.settled', call: 'c1', outcome: 'done', content: 'secret output' }))
    audit(event({ type: 'session.ended', report: { status: 'completed' } }))
    await turn()
    expect(read()).toMatchObject([
      { at, type: 'session.started', session: 's-1', agent: 'lead', root: 's-1' },
      {
        type: 'call.judged',
        tool: 'execute_command',
        input: {
          command: `curl -H "Authorization: Bearer ***" https://x.test/${'long/'.repeat(400)} ***`,
          password: '***',
          nested: [{ token: '***' }],
        },
        decision: 'ask',
        by: 'hook',
        rule: 'hook: .github/hooks/a.json',
        risk: 'HIGH',
        reasons: ['it reaches outside'],
      },
      { type: 'person.asked', call: 'c1', agent: 'lead' },
      { type: 'person.answered', decision: 'approve', by: 'ann', reason: 'fine' },
      { type: 'call.settled', outcome: 'done' },
      { type: 'session.ended', status: 'completed' },
    ])
    expect(readFileSync(file(), 'utf8')).not.toContain('secret output')
    expect(statSync(file()).mode & 0o077).toBe(0)
  })

  it('keeps arguments that are not JSON unchanged', async () => {
    const audit = createAudit({ home: home(), tell: () => {} })
    const judged = { type: 'call.judged', call: 'c', agent: 'a', tool: 't', decision: 'deny', by: 'tool' }
    audit(event({ ...judged, input: '{"a": ' }))
    await turn()
    expect(read()).toMatchObject([{ input: '{"a": ' }])
  })

  it('has one file per UTC day, and starts a new file if it was moved away', () => {
    const log = open()
    log.append({ at, type: 'a' })
    log.append({ at: '2026-11-16T00:00:00.000Z', type: 'b' })
    expect([read(), read('2026-11-16')]).toMatchObject([[{ type: 'a' }], [{ type: 'b' }]])
    rmSync(file('2026-11-16'))
    log.append({ at: '2026-11-16T00:00:00.001Z', type: 'c' })
    expect(read('2026-11-16')).toMatchObject([{ type: 'c' }])
    log.close()
  })

  it('an unfinished line of another process damages only itself', () => {
    open().append({ at, type: 'a' })
    appendFileSync(file(), '{"torn":')
    open().append({ at, type: 'b' })
    expect(readFileSync(file(), 'utf8').split('\n')).toEqual([
      expect.stringContaining('"a"'),
      '{"torn":',
      expect.stringContaining('"b"'),
      '',
    ])
  })

  it('lines of several processes do not mix', async () => {
    const code = `import { openHome } from '@cadre/home'; import { openAuditLog } from '@cadre/gate';
      const log = openAuditLog({ home: openHome({ home: ${JSON.stringify(path.join(root, 'home'))}, cwd: '/', env: {} }), tell: console.error })
      for (let i = 0; i < 200; i++) log.append({ at: '${at}', type: 'x', by: process.argv[1], i, text: 'y'.repeat(20000) })`
    const children = ['a', 'b', 'c'].map((name) =>
      spawn(process.execPath, ['--input-type=module', '--eval', code, name], {
        cwd: builtPackage,
        stdio: ['ignore', 'inherit', 'pipe'],
      }),
    )
    const errors = children.map((child) =>
      child.stderr.setEncoding('utf8').reduce((all, text) => all + text, ''),
    )
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]))
    expect([codes, await Promise.all(errors)]).toEqual([
      [0, 0, 0],
      ['', '', ''],
    ])
    const lines = read()
    expect(lines).toHaveLength(600)
    for (const name of ['a', 'b', 'c'])
      expect(lines.filter(({ by }) => by === name).map(({ i }) => i)).toEqual(
        Array.from({ length: 200 }, (_, i) => i),
      )
  })
})

describe('an obstacle is reported once, and stops nothing', () => {
  const write = () => {
    const log = open()
    for (const type of ['a', 'b', 'c']) log.append({ at, type })
    log.close()
    return told
  }

  it('a folder that is a link outside the home', () => {
    mkdirSync(path.join(root, 'home'))
    mkdirSync(path.join(root, 'elsewhere'))
    symlinkSync(path.join(root, 'elsewhere'), path.join(root, 'home/events'))
    expect(write()).toEqual([
      expect.stringMatching(
        /cannot write the audit log in .*outside the home directory\. Decisions are still/,
      ),
    ])
    expect(readdirSync(path.join(root, 'elsewhere'))).toEqual([])
  })

  it('a file that is a link', () => {
    mkdirSync(path.dirname(file()), { recursive: true })
    writeFileSync(path.join(root, 'profile'), 'x')
    symlinkSync(path.join(root, 'profile'), file())
    expect(write()).toHaveLength(1)
    expect(readFileSync(path.join(root, 'profile'), 'utf8')).toBe('x')
  })

  it('a folder or a pipe in its place', async () => {
    mkdirSync(file(), { recursive: true })
    expect(write()).toHaveLength(1)
    rmSync(file(), { recursive: true })
    const [code] = await once(spawn('mkfifo', [file()]), 'close')
    expect(code).toBe(0)
    told = []
    expect(write()).toHaveLength(1)
  })

  it('a full disk: existing lines stay readable, and the next day is written again', async () => {
    const code = `import { openHome } from '@cadre/home'; import { openAuditLog } from '@cadre/gate';
      const log = openAuditLog({ home: openHome({ home: ${JSON.stringify(path.join(root, 'home'))}, cwd: '/', env: {} }), tell: (text) => console.log(text) })
      for (let i = 0; i < 9; i++) log.append({ at: '${at}', type: 'x', text: 'y'.repeat(9000) })
      log.append({ at: '2026-11-16T00:00:00.000Z', type: 'later' })`
    const node = `'${process.execPath}' --input-type=module --eval "$1"`
    // In blocks: a file of this process can grow only to a few kilobytes.
    const child = spawn('sh', ['-c', `ulimit -f 40; exec ${node}`, 'sh', code], { cwd: builtPackage })
    const said = child.stdout.setEncoding('utf8').reduce((all, text) => all + text, '')
    const [status] = await once(child, 'close')
    expect(status).toBe(0)
    expect((await said).split('\n')).toEqual([expect.stringMatching(/cannot write the audit log in /), ''])
    expect(read('2026-11-16')).toMatchObject([{ type: 'later' }])
    const whole = readFileSync(file(), 'utf8').split('\n')
    expect(JSON.parse(whole[0] ?? '')).toMatchObject({ type: 'x' })
  })
})
