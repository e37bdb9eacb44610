import { expect, it } from 'vitest'
import { hideCredentials } from './hide-credentials.ts'

it.each([
  ['https://ann:secret@example.com/a.git', 'https://example.com/a.git', 'ann', 'secret'],
  ['https://ann:p%40s%2Fs@example.com:8443/a.git', 'https://example.com:8443/a.git', 'ann', 'p@s/s'],
  ['https://ann:p@ss@example.com/a@b', 'https://example.com/a@b', 'ann', 'p@ss'],
  ['https://token:@[::1]:80', 'https://[::1]:80', 'token', ''],
  ["https://ann:it's@example.com/a", 'https://example.com/a', 'ann', "it's"],
  ['http://:100%@example.com/a', 'http://example.com/a', '', '100%'],
])('moves the password of %s into the environment', (whole, address, user, password) => {
  const hidden = hideCredentials(whole)
  expect(hidden).toMatchObject({
    address,
    variables: { CADRE_GIT_USER: user, CADRE_GIT_PASSWORD: password },
  })
  expect(hidden.shown).toBe(address.replace('://', '://***@'))
  expect(hidden.settings?.join('\n')).not.toContain(password || user)
})

it.each([
  'https://ann@example.com/a.git',
  'https://example.com/a:b@c',
  'https://example.com:8443/a@b',
  'https://[::1]/a@b',
  'ssh://git@example.com:22/a@b',
  'git@example.com:a.git',
  '/srv/a:b@c.git',
])('leaves %s as it is', (address) => {
  expect(hideCredentials(address)).toMatchObject({ address })
  expect(hideCredentials(address)).not.toHaveProperty('problem')
})

it.each([
  'https://ann:secret/x@example.com/a.git',
  "https://ann:it's a secret/x@example.com/a.git",
  'https://ann:secret#x@example.com/a.git',
  'ssh://ann:secret@example.com/a.git',
  'https://ann:secret%0Ab@example.com/a.git',
])('refuses %s, because git would show its password to everyone', (address) => {
  const { problem, shown } = hideCredentials(address)
  expect(problem).toBeDefined()
  expect(shown).toMatch(/^(https|ssh):\/\/\*\*\*@example\.com\/a\.git$/)
})
