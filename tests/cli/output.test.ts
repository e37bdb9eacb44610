import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { bin } from './support/cadre.ts'
import { agentFile, createProject, delegate, type Project, report } from './support/project.ts'
import { until } from './support/until.ts'

const sequences = '\x1b[2J\x1b]0;owned\x07\x1b]52;c;aGk=\x07\u202egnp.exe\x9b31m'
const hostile = `before${sequences}after\r\noverwritten\rback\x08\x08`

function hostileProject(): Project {
  return createProject({
    ...agentFile('lead', { description: `lead ${sequences}` }),
    ...agentFile('worker'),
    [`name${'\x1b[31m'}.txt`]: 'x',
    'p.yaml': {
      lanes: {
        lead: [
          {
            reply: hostile,
            calls: [delegate('worker', hostile), { tool: `read_file${sequences}`, input: { path: hostile } }],
          },
          { reply: hostile },
        ],
        worker: [{ calls: [{ tool: 'read_file', input: { path: hostile } }] }, report(hostile)],
      },
    },
  })
}

const run = ['run', '--model', 'scripted:p.yaml', 'x']

test('text of models and files never reaches the output as control characters', async () => {
  const project = hostileProject()
  const printed = [await project.cadre(run)]
  for (const command of [
    'sessions list',
    'sessions tree',
    'sessions show lead',
    'sessions show worker',
    'doctor',
  ])
    printed.push(await project.cadre(command.split(' ')))
  for (const { stdout, stderr } of printed) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly those must not be there.
    expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]/)
  }
  expect(printed[0]?.stdout).toContain('before')
  expect(printed[0]?.stdout).toContain('after')
})

test('a reader that disconnects after the first line does not cause a crash', async () => {
  const project = createProject({
    'p.yaml': {
      lanes: {
        '*': [{ calls: [{ tool: 'list_directory', input: { path: '.' } }], repeat: 15 }, { reply: 'end' }],
      },
    },
  })
  const command = `"${process.execPath}" "${bin}" run --json --model scripted:p.yaml x | head -1; echo "codes \${PIPESTATUS[0]}"`
  const shell = spawn('bash', ['-c', command], {
    cwd: project.path,
    env: { PATH: process.env['PATH'], HOME: project.path },
  })
  shell.stdin.end()
  let stdout = ''
  let stderr = ''
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  shell.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  await once(shell, 'close')
  expect(stdout.split('\n')[0]).toMatch(/^\{"type":"session\.started"/)
  expect(stdout).toContain('codes 0')
  expect(stderr).toBe('')
})

test('a slow reader gets every structural event, and the whole text', async () => {
  const text = 'word '.repeat(20_000).trim()
  const project = createProject({
    'p.yaml': { lanes: { '*': [{ reply: text, stream: { pieces: 2000 } }] } },
  })
  const running = project.start(['run', '--json', '--model', 'scripted:p.yaml', 'x'])
  // The output is not read until the session file shows that the run has ended.
  running.child.stdout.pause()
  await until(() =>
    project
      .sessions()
      .some((id) => project.read(`.cadre/sessions/${id}.session.yaml`).includes('status: completed')),
  )
  running.child.stdout.resume()
  const { code, json } = await running.ended()
  const lines = json()
  const types = lines.map(({ type }) => type).filter((type) => type !== 'text.added')
  expect(types).toEqual(['session.started', 'round.started', 'reply.received', 'session.ended', 'report'])
  const added = lines.filter(({ type }) => type === 'text.added')
  expect(added.map((event) => event['text']).join('')).toBe(text)
  expect(added.length).toBeLessThan(2000)
  expect(lines.at(-1)).toMatchObject({ text })
  expect(code).toBe(0)
})
