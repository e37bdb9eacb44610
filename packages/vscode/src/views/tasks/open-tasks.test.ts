import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openHome } from '@cadre/home'
import { expect, onTestFinished, test } from 'vitest'
import { openTasks } from './open-tasks.ts'

function tasksOf(text: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-views-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = openHome({ home: folder, cwd: folder, env: {} })
  mkdirSync(home.at('tasks'))
  const file = home.at('tasks', 'a.task.md')
  writeFileSync(file, text)
  const tasks = openTasks(home)
  return {
    tasks,
    content: () => readFileSync(file, 'utf8'),
    first: () => tasks.read()[0]?.groups[0]?.tasks[0]?.task ?? expect.fail('no task'),
  }
}

test('a change of state changes only the marker', async () => {
  const text = '\ufeff# x\r\n* [_] "One"   \r\n  id: t-1\r\n\tnote: mine\r\n\r\ntext  \r\n'
  const { tasks, content, first } = tasksOf(text)
  await tasks.setState('a.task.md', first(), 'done')
  expect(content()).toBe(text.replace('[_]', '[x]'))
})

test('a task without an id gets one with its first change', async () => {
  const { tasks, content, first } = tasksOf('- [ ] One\n')
  await tasks.setState('a.task.md', first(), 'done')
  expect(content()).toMatch(/^- \[x\] One\n {2}id: task-\w{8}\n$/)
})

test('does not change a task that has changed since it was shown', async () => {
  const { tasks, content, first } = tasksOf('- [~] One\n  id: t-1\n')
  const shown = { ...first(), state: 'open' as const }
  await expect(tasks.setState('a.task.md', shown, 'done')).rejects.toThrow('has changed in the meantime')
  expect(content()).toBe('- [~] One\n  id: t-1\n')
})

test('a new task is added at the end of its section, and nothing else changes', async () => {
  const { tasks, content } = tasksOf('## TODO\n\n- [ ] One\n\n## Later\n')
  const line = await tasks.add('a.task.md', '@worker Look at "it" #x')
  expect(content().split('\n')[line - 1]).toBe('- [ ] @worker #x "Look at \\"it\\""')
  expect(content().startsWith('## TODO\n\n- [ ] One\n')).toBe(true)
  expect(content().endsWith('\n## Later\n')).toBe(true)
})
