import { readFileSync, statSync } from 'node:fs'
import { CadreError, type Json, messageOf, sentenceOf } from '@cadre/core'
import { hasCode } from '@cadre/disk'
import { findFixtureFault } from './find-fixture-fault.ts'
import { type Fixture, fixtureFormat, fixtureVersion } from './fixture.ts'

/** A recording that is worth replaying is not larger than this. */
const maxBytes = 64 * 1024 * 1024

/** Reads a fixture. Throws a `CadreError` that explains the problem with the file. */
export function readFixture(file: string): Fixture {
  const text = textOf(file)
  const wrong = (what: string) => new CadreError('configuration', what, { where: file })
  let value: Json
  try {
    value = JSON.parse(text)
  } catch (error) {
    const isCut = /end of JSON|Unterminated/i.test(messageOf(error))
    throw wrong(
      isCut
        ? 'the fixture is incomplete: the file ends in the middle of its JSON. Record the run again.'
        : 'the fixture is not valid JSON. Record the run again, or undo the last change to the file.',
    )
  }
  const { format, version } = (typeof value === 'object' && value !== null ? value : {}) as Record<
    string,
    Json
  >
  if (format !== fixtureFormat)
    throw wrong('this file is not a fixture from "cadre record": it has no "format": "cadre-fixture".')
  if (typeof version === 'number' && version > fixtureVersion)
    throw wrong(
      `the fixture has version ${version}, but this Cadre reads version ${fixtureVersion}. Update Cadre, or record the run again.`,
    )
  const fault = findFixtureFault(value)
  if (fault !== undefined) throw wrong(`the fixture cannot be used: ${fault}. Record the run again.`)
  return value as unknown as Fixture
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file)
    if (size > maxBytes)
      throw new CadreError(
        'configuration',
        `the fixture is too large: ${Math.round(size / 1024 / 1024)} MB. The limit is ${maxBytes / 1024 / 1024} MB. Record a shorter run.`,
        { where: file },
      )
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof CadreError) throw error
    if (hasCode(error, 'ENOENT'))
      throw new CadreError('not_found', 'there is no such file. Create a fixture with "cadre record".', {
        where: file,
        cause: error,
      })
    if (hasCode(error, 'EISDIR'))
      throw new CadreError('not_found', 'this is a folder. Specify the file that "cadre record" created.', {
        where: file,
        cause: error,
      })
    throw new CadreError('not_found', `cannot read the fixture: ${sentenceOf(error)}`, {
      where: file,
      cause: error,
    })
  }
}
