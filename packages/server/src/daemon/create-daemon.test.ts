import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rawOf } from '@cadre/disk'
import { editFile } from '@cadre/home'
import { call, say } from '@cadre/testing'
import { expect, test } from 'vitest'
import type { Duty } from '../duty.ts'
import { readStatus } from './acquire-home.ts'
import {
  holdTool,
  sessionText,
  template,
  temporaryHome,
  testDaemon,
  until,
  writeEntry,
} from './daemon.spec-helpers.ts'
import { stopRequest } from './daemon-status.ts'

test('answers a session that a person writes by hand in its file', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'planner-001')
  const daemon = testDaemon(home, workspace, {
    lanes: { 'planner-001': [say('hello back'), say('once more')] },
  })
  await daemon.start()
  writeFileSync(
    `${home.folder('sessions')}/talk.session.yaml`,
    `session_id: talk\nagent_id: planner-001\nmodel: scripted\nsystem_prompt: You plan.\nstatus: active\nmessages:\n  - role: user\n    content: hello\nmetadata: {}\n`,
  )
  await until(() => sessionText(home, 'talk').includes('hello back'))
  await until(() => /^status: completed/m.test(sessionText(home, 'talk')))
  writeEntry(home, 'talk', 'and again')
  await until(() => sessionText(home, 'talk').includes('once more'))
  await until(() => daemon.status().sessions.running.length === 0)
  expect(daemon.status().problems).toEqual([])
  expect(daemon.models.requests).toHaveLength(2)
  expect(daemon.happenings.map(({ message }) => message)).toContain(
    'edited by hand: sessions/talk.session.yaml',
  )
})

test('resumes sessions after a restart, and a second daemon names the owner of the home', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const daemon = testDaemon(home, workspace, { lanes: { worker: [say('done')] } })
  await daemon.start()
  const other = testDaemon(home, workspace)
  await expect(other.start()).rejects.toMatchObject({
    code: 'owned',
    message: expect.stringMatching(
      new RegExp(`process ${process.pid} on \\S+\\. Inspect it with "cadre status"`),
    ),
  })
  await daemon.stop()
  expect(readStatus(home)?.state).toBe('stopped')
  await other.stop()
  const next = testDaemon(home, workspace)
  await next.start()
  expect(readStatus(home)?.state).toBe('running')
})

test('reports a broken file with its line until it is fixed, while others continue', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const daemon = testDaemon(home, workspace, { lanes: { worker: [say('fine')] } })
  await daemon.start()
  const bad = `${home.folder('sessions')}/bad.session.yaml`
  writeFileSync(bad, 'session_id: bad\nagent_id: worker\nstatus: what\nmessages: []\n')
  await until(() => daemon.status().problems.length > 0)
  expect(daemon.status().problems).toMatchObject([
    { file: 'sessions/bad.session.yaml', line: 3, severity: 'error' },
  ])
  writeFileSync(
    `${home.at('sessions')}/good.session.yaml`,
    'agent_id: worker\nmodel: scripted\nmessages:\n  - role: user\n    content: go\n',
  )
  await until(() => sessionText(home, 'good').includes('fine'))
  rmSync(bad)
  await until(() => daemon.status().problems.length === 0)
  const [events = ''] = readdirSync(home.at('events'))
  const lines = readFileSync(home.at('events', events), 'utf8')
  expect(lines).toContain('"type":"problem.found"')
  expect(lines).toContain('"type":"problem.mended"')
})

test('applies a changed configuration when nothing runs, but not a broken one', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  const seen: string[] = []
  const daemon = testDaemon(home, workspace, {
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('done')] },
    duties: ({ sessions }) => [
      {
        name: 'starter',
        folders: [],
        start: () => sessions.start({ id: 'w', agent: 'worker', work: { content: 'go' } }),
        changed: async () => {},
      },
    ],
    happened: ({ type }) => seen.push(type),
  })
  await daemon.start()
  await until(() => hold.waiting() === 1)
  writeFileSync(home.at('config.yaml'), 'broken')
  await until(() => daemon.status().problems.some(({ file }) => file === 'config.yaml'))
  expect(seen).not.toContain('configuration.changed')
  writeFileSync(home.at('config.yaml'), 'model: other')
  await until(() => daemon.status().configurationPending === true)
  expect(daemon.status().problems).toEqual([])
  expect(sessionText(home, 'w')).toMatch(/^status: active/m)
  hold.letGo()
  await until(() => seen.includes('configuration.changed'))
  await until(() => sessionText(home, 'w').includes('outcome: completed'))
  expect(daemon.status().configurationPending).toBeUndefined()
  expect(sessionText(home, 'w').match(/role: tool_result/g)).toHaveLength(1)
})

test('reports and retries a failing duty, without delaying others', async () => {
  const { home, workspace } = temporaryHome()
  let isBroken = true
  const calls: string[] = []
  const duty = (name: string, fails: () => boolean): Duty => ({
    name,
    folders: ['memory'],
    start: async () => {},
    async changed(files) {
      if (fails()) throw new Error(`${name} cannot`)
      calls.push(...files.map((file) => `${name} ${file}`))
    },
  })
  const daemon = testDaemon(home, workspace, {
    duties: () => [duty('bad', () => isBroken), duty('good', () => false)],
  })
  await daemon.start()
  writeFileSync(`${home.folder('memory')}/a.md`, 'x')
  await until(() => daemon.status().problems.length === 1)
  expect(daemon.status().problems).toMatchObject([{ file: '[bad]', message: 'bad cannot' }])
  await until(() => calls.includes('good memory/a.md'))
  isBroken = false
  await until(() => calls.includes('bad memory/a.md'))
  expect(daemon.status().problems).toEqual([])
})

test('commits a person’s changes under their name, but not Cadre’s', async () => {
  const { home, workspace } = temporaryHome()
  const notes: string[] = []
  const daemon = testDaemon(home, workspace, {
    git: async () => ({
      note: (message) => notes.push(message),
      flush: async () => {},
      close: async () => {},
    }),
    duties: () => [{ name: 'tasks', folders: ['tasks'], start: async () => {}, changed: async () => {} }],
  })
  await daemon.start()
  editFile(home.at('tasks', 'ours.task.md'), () => rawOf('## TODO\n'))
  writeFileSync(home.at('tasks', 'theirs.task.md'), '## TODO\n')
  await until(() => notes.includes('edited by hand: tasks/theirs.task.md'))
  expect(notes).not.toContain('edited by hand: tasks/ours.task.md')
})

test('does not wait for git, notes earlier changes when it is open, and shows why it is missing', async () => {
  const { home, workspace } = temporaryHome()
  const notes: string[] = []
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  let isReady = false
  const daemon = testDaemon(home, workspace, {
    async git(_, ready) {
      await opened
      await ready
      isReady = true
      return {
        note: (message) => notes.push(message),
        flush: async () => {},
        close: async () => {},
        missing: 'there is no git here',
      }
    },
  })
  await daemon.start()
  expect(notes).toEqual([])
  expect(daemon.status()).not.toHaveProperty('gitMissing')
  open()
  await until(() => readStatus(home)?.gitMissing === 'there is no git here')
  expect(isReady).toBe(true)
  expect(notes[0]).toContain('The daemon started')
  await daemon.stop()
  expect(notes.at(-1)).toBe('The daemon is stopping.')
})

test('keeps running if status and events cannot be written, and reports it', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const daemon = testDaemon(home, workspace, { lanes: { worker: [say('fine')] } })
  writeFileSync(home.at('events'), 'a file where a folder must be')
  mkdirSync(home.at('storage', 'daemon.json'), { recursive: true })
  await daemon.start()
  writeFileSync(
    `${home.folder('sessions')}/a.session.yaml`,
    'agent_id: worker\nmodel: scripted\nmessages:\n  - role: user\n    content: go\n',
  )
  await until(() => sessionText(home, 'a').includes('fine'))
  const files = daemon.status().problems.map(({ file }) => file)
  expect(files).toContain('events')
  expect(files).toContain('storage/daemon.json')
})

test('ignores requests in files while it may not act, and handles them later', async () => {
  const { home, workspace } = temporaryHome()
  template(home, 'worker')
  const hold = holdTool()
  let isTrusted = true
  let asks = 0
  const daemon = testDaemon(home, workspace, {
    tools: [hold.tool],
    lanes: { worker: [call(['hold', {}]), say('done')] },
    duties: ({ sessions }) => [
      {
        name: 'starter',
        folders: [],
        start: () => sessions.start({ id: 'long', agent: 'worker', work: { content: 'go' } }),
        changed: async () => {},
      },
    ],
    mayAct() {
      asks += 1
      return isTrusted
    },
  })
  await daemon.start()
  await until(() => hold.waiting() === 1)
  isTrusted = false
  const requests = ['long.cancel', stopRequest].map((name) => home.at('storage', 'requests', name))
  for (const request of requests)
    writeFileSync(request, JSON.stringify({ at: new Date(Date.now() + 1000).toISOString() }))
  asks = 0
  await until(() => asks > 10)
  expect(requests.filter((request) => !existsSync(request))).toEqual([])
  expect(daemon.status().sessions.running).toEqual(['long'])
  isTrusted = true
  expect(await daemon.asked).toBe('asked')
  await until(() => !requests.some((request) => existsSync(request)))
})
