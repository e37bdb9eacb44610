import { expect, it } from 'vitest'
import { hideCredentials } from './hide-credentials.ts'

it.each([
  ['https://ann:secret@example.com/a.git', 'https://example.com/a.git', 'ann', 'secret'],
  ['https://ann:p%40s%2Fs@example.com:8443/a.git', 'https://example.com:8443/a.git', 'ann', 'p@s/s'],
  ['https://ann:p@ss@example.com/a@b', 'https://example.com/a@b', 'ann', 'p@ss'],
  ['https://token:@[::1]:80', 'https://[::1]:80', 'token', ''],
  ['http://:100%@example.com/a', 'http://example.com/a', '', '100%'],
])('moves the password of %s into the environment', (whole, address, user, password) => {
  const hidden = hideCredentials(whole)
  expect(hidden).toMatchObject({
    address,
    variables: { CADRE_GIT_USER: user, CADRE_GIT_PASSWORD: password },
  })
  expect(hidden.settings?.join('\n')).not.toContain(password || user)
})

it.each([
  'https://ann@example.com/a.git',
  'https://example.com/a:b@c',
  'ssh://ann:secret@example.com/a.git',
  'git@example.com:a.git',
  '/srv/a:b@c.git',
  'https://ann:a%0Ab@example.com',
])('leaves %s as it is', (address) => {
  expect(hideCredentials(address)).toEqual({ address })
})
