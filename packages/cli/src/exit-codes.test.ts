import type { Report } from '@cadre/core'
import { expect, test } from 'vitest'
import { exitCodeForError, exitCodeForReport, exitCodes } from './exit-codes.ts'

test('keeps the numbers that scripts depend on', () => {
  expect(exitCodes).toEqual({
    done: 0,
    failed: 1,
    usage: 2,
    waiting: 3,
    refused: 4,
    backend: 5,
    owned: 6,
    bug: 70,
    cancelled: 130,
  })
})

test.each([
  ['usage', 2],
  ['configuration', 2],
  ['unknown_model', 2],
  ['not_found', 2],
  ['corrupt', 2],
  ['delegation', 1],
  ['timeout', 1],
  ['budget_exceeded', 1],
  ['in_doubt', 3],
  ['tool_access', 4],
  ['approval_rejected', 4],
  ['hook_denied', 4],
  ['policy', 4],
  ['backend', 5],
  ['owned', 6],
  ['cancelled', 130],
  ['something else', 1],
  ['constructor', 1],
])('the error %s ends with %i', (code, number) => {
  expect(exitCodeForError(code)).toBe(number)
})

test.each<[Report['status'], string | undefined, number]>([
  ['completed', undefined, 0],
  ['completed', 'backend', 0],
  ['incomplete', 'max_rounds', 1],
  ['cancelled', undefined, 130],
  ['error', undefined, 1],
  ['error', 'backend', 5],
  ['error', 'timeout', 1],
])('a report that is %s because of %s exits with %i', (status, code, number) => {
  const usage = { input: 0, output: 0 }
  const report: Report = {
    type: 'report',
    session: 's',
    agent: 'a',
    status,
    text: '',
    model: 'm',
    usage,
    sessions: 1,
    calls: 0,
  }
  expect(
    exitCodeForReport(code === undefined ? report : { ...report, notices: [{ code, message: 'x' }] }),
  ).toBe(number)
})
