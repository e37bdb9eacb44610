import fs from 'node:fs'
import path from 'node:path'
import { print } from '../lib/measure.mjs'
import { otherText, taskId, taskText } from '../lib/task-text.mjs'
import { costOfCalls } from '../lib/tasks-work.mjs'
import { readWorkload } from '../lib/workload.mjs'

// A minimal reader of tasks: lines, and a pattern for each kind. It does not check code blocks, quotes, nesting or the
// result of an edit. The file is replaced as a whole, and synced.
const { tmp, n } = readWorkload()
const file = path.join(tmp, 'big.task.md')
const raw = taskText(n)
fs.writeFileSync(file, raw)
let problem

const parse = await costOfCalls((i) => {
  if (readTasks(otherText(raw, i)).length !== n + 1) problem = 'not every task was read'
})
const select = await costOfCalls((i) => {
  fs.writeFileSync(file, otherText(raw, i))
  find(readTasks(fs.readFileSync(file, 'utf8')))
})
const known = readTasks(raw)
const again = await costOfCalls(() => find(known))
const edit = await costOfCalls((i) => setField(taskId(n >> 1), 'note', `seen ${i} times`))
print(problem ? { error: problem } : { parse, select, again, edit, bytes: raw.length })

function readTasks(text) {
  const tasks = []
  let task
  for (const line of text.split('\n')) {
    const head = /^ *- \[(.)\] (?:([A-D]) )?((?:[@#]\S+ )*)"(.*)"$/.exec(line)
    if (head) {
      task = { state: head[1], priority: head[2], signs: head[3].split(' '), title: head[4], fields: {} }
      tasks.push(task)
      continue
    }
    const field = /^ +(\w+): (.*)$/.exec(line)
    if (field && task) task.fields[field[1]] = field[2]
  }
  return tasks
}

function find(tasks) {
  const rows = tasks
    .filter(
      ({ state, priority, title }) =>
        state === ' ' && priority === 'B' && title.toLowerCase().includes('part'),
    )
    .sort((a, b) => (a.title < b.title ? 1 : -1))
    .slice(0, 20)
  if (rows.length !== 20) problem = `${rows.length} rows instead of 20`
}

function setField(id, key, value) {
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  const at = lines.findIndex((line) => line.trim() === `id: ${id}`)
  const indent = /^ */.exec(lines[at])[0]
  let end = at
  while (
    /^ +\S/.test(lines[end] ?? '') &&
    !lines[end].startsWith(`${indent}${key}:`) &&
    !lines[end].trim().startsWith('- [')
  )
    end++
  const isThere = lines[end]?.startsWith(`${indent}${key}:`)
  lines.splice(end, isThere ? 1 : 0, `${indent}${key}: ${value}`)
  const draft = fs.openSync(`${file}.tmp`, 'w')
  fs.writeSync(draft, lines.join('\n'))
  fs.fsyncSync(draft)
  fs.closeSync(draft)
  fs.renameSync(`${file}.tmp`, file)
}
