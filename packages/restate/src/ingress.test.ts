import { expect, it } from 'vitest'
import { createRestateKeeper } from './index.ts'

it('rejects an address with a password, and does not print it', () => {
  const open = () => createRestateKeeper({ ingress: 'http://ann:hunter2@127.0.0.1:9', place: 'lab' })
  expect(open).toThrow(/^the address of the Restate server contains a user name or password\. Remove it/)
  expect(open).not.toThrow('hunter2')
})
