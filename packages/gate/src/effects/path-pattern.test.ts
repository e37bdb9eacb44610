import { describe, expect, it } from 'vitest'
import { readPattern } from './path-pattern.ts'
import { wildcardsOverlap } from './wildcards-overlap.ts'

const links: Record<string, string> = { '/w/vault': '/w/real-vault', '/w': '/w' }
const places = {
  workspaces: ['/w', '/real/w'],
  userHome: '/home/ann',
  locate: (path: string) => links[path] ?? path,
}
const match = (pattern: string, path: string) => readPattern(pattern, places).match(path)

describe('wildcards', () => {
  it.each([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['a*', 'ab', true],
    ['*.pem', 'x.pem', true],
    ['*.pem', 'x.pemx', false],
    ['secr*', 'secrets', true],
    ['s?crets', 'secrets', true],
    ['?', '', false],
    ['*', '', true],
    ['a*c', 'ab*', true],
    ['a*c', 'b*', false],
    ['*a', 'b*', true],
  ])('%s and %s: %s', (a, b, expected) => {
    expect(wildcardsOverlap(a, b)).toBe(expected)
    expect(wildcardsOverlap(b, a)).toBe(expected)
  })

  it('take at most quadratic time', () => {
    expect(wildcardsOverlap(`${'*a'.repeat(500)}b`, 'a'.repeat(1_000))).toBe(false)
  })
})

describe('a pattern', () => {
  it.each([
    ['secrets', '/w/secrets', 'within'],
    ['secrets', '/w/secrets/a/b', 'within'],
    ['secrets', '/w/deep/secrets/a', 'within'],
    ['secrets', '/w/secrets-guide.md', undefined],
    ['secrets', '/w/SECRETS/a', 'within'],
    ['secrets', '/real/w/secrets', 'within'],
    ['secrets', '/other/secrets/a', 'within'],
    ['secrets/', '/w/secrets/a', 'within'],
    ['./secrets', '/w/secrets/a', 'within'],
    ['.env', '/w/a/.env', 'within'],
    ['.env', '/w/.envrc', undefined],
    ['*.pem', '/w/a/b.PEM', 'within'],
    ['config/*.json', '/w/config/a.json', 'within'],
    ['config/*.json', '/w/config/a/b.json', undefined],
    ['config/*.json', '/w/other/config/a.json', undefined],
    ['config/**/key', '/w/config/a/b/key/x', 'within'],
    ['config/**/key', '/w/config/key', 'within'],
    ['docs/*', '/w/docs', 'within'],
    ['docs/**', '/w/docs/a/b', 'within'],
    ['/etc', '/etc/passwd', 'within'],
    ['/etc', '/w/etc', undefined],
    ['~/notes', '/home/ann/notes/a', 'within'],
    ['~/notes', '/w/notes', undefined],
    ['vault', '/w/real-vault/a', 'within'],
    ['secrets/../open', '/w/open/a', 'within'],
  ] as const)('%s and %s: %s', (pattern, path, expected) => {
    expect(match(pattern, path) === 'within' ? 'within' : undefined).toBe(expected)
  })

  it('finds the folders that may contain a match', () => {
    expect(match('a/secrets', '/w')).toBe('above')
    expect(match('a/secrets', '/w/a')).toBe('above')
    expect(match('a/secrets', '/w/b')).toBeUndefined()
    expect(match('*.pem', '/w/any/where')).toBe('above')
  })

  it('matches a path that is itself a pattern', () => {
    expect(match('secrets/key', '/w/secr*/k?y')).toBe('within')
    expect(match('secrets/key', '/w/*')).toBe('above')
    expect(match('secrets', '/w/*')).toBe('within')
    expect(match('secrets', '/w/src*')).not.toBe('within')
  })

  it('does not match the folders above the workspace', () => {
    const inside = { ...places, workspaces: ['/srv/secrets/w'] }
    expect(readPattern('secrets', inside).match('/srv/secrets/w/a.ts')).not.toBe('within')
    expect(readPattern('secrets', inside).match('/srv/secrets/w/secrets')).toBe('within')
  })
})
