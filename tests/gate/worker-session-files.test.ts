import { readdirSync, realpathSync, rmSync } from 'node:fs'
import path from 'node:path'
import { cleanEnvironment, createPathResolver, runGuardedCommand } from '@cadre/gate'
import { doubtsAbout, openHome } from '@cadre/home'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createWorld, type World, without } from './sandbox-support.ts'

const file = '.cadre/sessions/lead-1.session.yaml'
const text =
  "session_id: lead-1\nupdated: '1'\nmetadata:\n  root: lead-1\nengine_place: lab\nmessages:\n  - seq: 1\n"

let world: World
beforeEach(() => {
  world = createWorld()
  world.write(file, text)
})
afterEach(() => world[Symbol.dispose]())

const home = () => openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
/** As another process registers in the home. */
const startDaemon = () => world.write('.cadre/storage/leases/1-daemon.process', '{}')
const run = (command: string) => world.run(command, { sandbox: without })
const notes = () => doubtsAbout(home(), 'lead-1')

test('an addition to the file of a session of a worker stays, and the daemon learns not to trust it', async () => {
  startDaemon()
  const end = await run(`echo '  - seq: 2' >> ${file}`)
  expect(end.changes).toEqual([])
  expect(world.read(file)).toBe(`${text}  - seq: 2\n`)
  expect(notes()).toHaveLength(1)
})

test.each([
  ['changes it', `sed -i 's/seq: 1/seq: 7/' ${file}`],
  ['removes it', `rm ${file}`],
  ['moves it to another engine', `sed -i /engine_place/d ${file}`],
  ['hides the notes', `echo '  - seq: 2' > ${file}; ln -s ../../src .cadre/storage/doubts`],
])('the file is as before, with a note, if a command %s', async (_, command) => {
  startDaemon()
  const end = await run(command)
  expect(end.changes.map((change) => [path.basename(change.path), change.undone])).toContainEqual([
    'lead-1.session.yaml',
    true,
  ])
  expect(world.read(file)).toBe(text)
  expect(notes()).toHaveLength(1)
})

test('there is a note if a command changes only what the daemon remembers of the file', async () => {
  startDaemon()
  world.write('.cadre/storage/projected/lead-1', 'a\n')
  await run('echo b >> .cadre/storage/projected/lead-1')
  expect(notes()).toHaveLength(1)
})

test('a note that a command removes is replaced, and overlapping commands leave one', async () => {
  startDaemon()
  await run(`echo '  - seq: 2' >> ${file}`)
  const [first] = notes()
  const end = await run('rm .cadre/storage/doubts/*')
  expect(end.changes).toEqual([])
  expect(notes()).toHaveLength(1)
  expect(notes()).not.toContain(first)
  rmSync(world.at('.cadre', 'storage', 'doubts'), { recursive: true })
  const long = run('until test -e go; do sleep 0.05; done')
  await run(`echo '  - seq: 3' >> ${file}`)
  await run(`echo '  - seq: 4' >> ${file}`)
  expect(notes()).toHaveLength(1)
  world.write('go', '')
  await long
  expect(notes()).toHaveLength(1)
})

test('without a daemon, an addition is undone', async () => {
  const end = await run(`echo '  - seq: 2' >> ${file}`)
  expect(end.changes).toMatchObject([{ what: 'changed', undone: true }])
  expect([world.read(file), notes()]).toEqual([text, []])
})

test('the home of a daemon in the workspace is protected if the worker has another home', async () => {
  startDaemon()
  const workspace = world.project
  const own = openHome({ home: path.join(realpathSync(world.outer), 'own'), cwd: '/', env: {} })
  own.folder('sessions')
  const end = await runGuardedCommand(
    {
      ...{ workspace, cwd: workspace, timeoutMs: 60_000, copy: false, network: false, key: 'test/call_1' },
      command: `ls .cadre/storage/unguarded; echo '  - seq: 2' >> ${file}; echo x > .cadre/config.yaml`,
      environment: cleanEnvironment(process.env, []),
    },
    {
      ...{ sandbox: without, home: own, userHome: world.user },
      places: createPathResolver({ home: own.path, userHome: world.user, project: workspace }),
    },
    new AbortController().signal,
  )
  expect(end.output).toContain('.json')
  expect(readdirSync(world.at('.cadre/storage/unguarded'))).toEqual([])
  expect(end.changes).toMatchObject([{ path: world.at('.cadre/config.yaml'), undone: true }])
  expect(notes()).toHaveLength(1)
})
