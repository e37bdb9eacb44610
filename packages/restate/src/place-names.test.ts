import { expect, it } from 'vitest'
import { placeNames } from './place-names.ts'

it('rejects a place whose name at the server is that of a part of another place', () => {
  for (const name of Object.values(placeNames('office')).slice(1)) {
    const place = name.replace(/^cadre-/, '')
    expect(() => placeNames(place)).toThrow(`engine.place "${place}" must be a name of up to 63 letters`)
  }
  expect(placeNames('messages-office').trees).toBe('cadre-messages-office')
})
