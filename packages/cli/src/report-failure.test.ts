import { CadreError } from '@cadre/core'
import { expect, onTestFinished, test } from 'vitest'
import type { Io } from './io.ts'
import { reportFailure } from './report-failure.ts'

function tell(error: unknown, asJson: boolean, env: Record<string, string> = {}) {
  const said = { stdout: '', stderr: '' }
  const output = (name: 'stdout' | 'stderr') => ({
    write(text: string) {
      said[name] += text
      return true
    },
  })
  const io = { stdout: output('stdout'), stderr: output('stderr'), env } as unknown as Io
  return { code: reportFailure(error, io, asJson), ...said }
}

test('reports a failure in one sentence with its place', () => {
  const error = new CadreError('configuration', 'There is no key "modle".', { where: '/p/config.yaml:2' })
  expect(tell(error, false)).toEqual({
    code: 2,
    stdout: '',
    stderr: 'cadre: /p/config.yaml:2: There is no key "modle".\n',
  })
  const { stdout, stderr } = tell(error, true)
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({
    type: 'error',
    code: 'configuration',
    message: '/p/config.yaml:2: There is no key "modle".',
    where: '/p/config.yaml:2',
  })
})

test('reports a bug in one line, with how to see more, and exits with 70', () => {
  const plain = tell(new TypeError('x is not a function'), false)
  expect(plain.code).toBe(70)
  expect(plain.stderr).toMatch(
    /^cadre: this is a bug in Cadre: x is not a function \(set CADRE_DEBUG=1 .*\)\n$/,
  )
  const { stackTraceLimit } = Error
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit
  })
  Error.stackTraceLimit = 10
  const more = tell(new TypeError('x is not a function', { cause: new Error('why') }), false, {
    CADRE_DEBUG: '1',
  })
  expect(more.stderr).toMatch(/\n {4}at /)
  expect(more.stderr).toContain('caused by: Error: why')
  expect(JSON.parse(tell('thrown text', true).stdout)).toMatchObject({ type: 'error', code: 'bug' })
})

test('text from a file cannot control the terminal', () => {
  expect(tell(new CadreError('usage', 'there is no agent "\x1b[2Jx"'), false).stderr).toBe(
    'cadre: there is no agent "x"\n',
  )
})

test('a system error names the file that the person named, and what to do', () => {
  const error = (message: string, fields: object) =>
    Object.assign(new Error(message), { syscall: 'open', ...fields })
  const path = '/p/x.json.9b3ab4ce8474.tmp'
  const denied = error(`EACCES: permission denied, open '${path}'`, { code: 'EACCES', path })
  expect(tell(denied, false)).toMatchObject({
    code: 2,
    stderr: 'cadre: /p/x.json: permission denied (EACCES). Change the permissions, or choose another path.\n',
  })
  const used = error('listen EADDRINUSE: address already in use', { code: 'EADDRINUSE' })
  expect(tell(used, false).stderr).toBe('cadre: listen EADDRINUSE: address already in use\n')
})
