import fs from 'node:fs'
import path from 'node:path'
import {
  homeQueryFiles,
  openQueryFiles,
  openTaskFiles,
  parseQuery,
  readTaskFile,
  runQuery,
} from '@cadre/tasks'
import { print } from '../lib/measure.mjs'
import { otherText, taskId, taskText } from '../lib/task-text.mjs'
import { costOfCalls } from '../lib/tasks-work.mjs'
import { readWorkload } from '../lib/workload.mjs'

// `n` tasks in one file: read, queried, queried again without changes, and one field of one task set.
const { tmp, n } = readWorkload()
const name = 'big.task.md'
const folder = path.join(tmp, 'tasks')
const file = path.join(folder, name)
const raw = taskText(n)
fs.mkdirSync(folder, { recursive: true })
fs.writeFileSync(file, raw)
let problem
const expect = (is, what) => {
  if (!is) problem = what
}

// Different text at both ends each time, so that caches do not help.
const parse = await costOfCalls((i) => {
  expect(readTaskFile(otherText(raw, i)).tasks.length === n + 1, 'not every task was read')
})
const query = parseQuery(
  `SELECT id, title FROM tasks/${name} WHERE state = 'open' AND priority = 'B' AND title LIKE '%part%' ORDER BY title DESC LIMIT 20`,
)
const find = async (files, what) => {
  const { rows } = await runQuery(query, files)
  expect(rows.length === 20, `${what}: ${rows.length} rows instead of 20`)
}
const select = await costOfCalls(async (i) => {
  fs.writeFileSync(file, otherText(raw, i))
  await find(openQueryFiles({ folder: tmp }), 'asked')
})
const tasks = openTaskFiles({ folder })
// A file that was just written could change again with the same stamp, so it is read each time.
await new Promise((resolve) => setTimeout(resolve, 150))
const again = await costOfCalls(() => find(homeQueryFiles(tasks), 'asked again'))
const edit = await costOfCalls(async (i) => {
  const { kind } = await tasks.change(name, taskId(n >> 1), { fields: { note: `seen ${i} times` } })
  expect(kind === 'changed', `a field was not set: ${kind}`)
})
expect(fs.readFileSync(file, 'utf8').includes('note: seen 11 times'), 'the field is not in the file')
print(problem ? { error: problem } : { parse, select, again, edit, bytes: raw.length })
