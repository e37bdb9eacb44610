import { CadreError } from '@cadre/core'
import { expect, test } from 'vitest'
import { systemTrouble } from './system-trouble.ts'

test('distinguishes a system error from an invalid file', () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC', syscall: 'write' })
  expect(systemTrouble(full)).toBe('ENOSPC')
  expect(systemTrouble(new CadreError('configuration', 'the home cannot be used', { cause: full }))).toBe(
    'ENOSPC',
  )
  expect(systemTrouble(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBeUndefined()
  expect(systemTrouble(new CadreError('owned', 'another has it'))).toBeUndefined()
  expect(systemTrouble('ENOSPC')).toBeUndefined()
  const circle = new Error('round')
  circle.cause = circle
  expect(systemTrouble(circle)).toBeUndefined()
})
