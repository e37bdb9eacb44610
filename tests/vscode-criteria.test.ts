import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const folder = path.join(import.meta.dirname, 'vscode')
const rows = readFileSync(path.join(folder, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.vscode.ts'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

test('all criteria and scenarios are listed with a test', () => {
  const names = rows.map(([name = '']) => name).filter((name) => name !== '')
  const numbers = names.flatMap((name) => /^(\d+)\. /.exec(name)?.[1] ?? [])
  expect(numbers.map(Number)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  expect(names.length).toBe(12 + 7)
})

test.each(rows.map(([, title = '', file = '']) => [title, file]))('"%s" is a test of %s', (title, file) => {
  expect(readFileSync(path.join(folder, file), 'utf8')).toContain(`it('${title}', `)
})
