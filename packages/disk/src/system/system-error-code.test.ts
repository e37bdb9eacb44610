import { CadreError } from '@cadre/core'
import { expect, test } from 'vitest'
import { systemErrorCode } from './system-error-code.ts'

test('distinguishes a system error from an invalid file', () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' })
  expect(systemErrorCode(full)).toBe('ENOSPC')
  expect(systemErrorCode(new CadreError('configuration', 'the home cannot be used', { cause: full }))).toBe(
    'ENOSPC',
  )
  expect(systemErrorCode(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBeUndefined()
  expect(systemErrorCode(new CadreError('owned', 'another has it'))).toBeUndefined()
  expect(systemErrorCode('ENOSPC')).toBeUndefined()
  const circle = new Error('round')
  circle.cause = circle
  expect(systemErrorCode(circle)).toBeUndefined()
})
