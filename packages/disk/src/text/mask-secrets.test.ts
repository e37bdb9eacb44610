import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maskSecrets, mayContainSecret, secretValues } from './mask-secrets.ts'

const long = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'

describe('removes secrets', () => {
  it.each([
    [`git clone https://ann:${long}@example.com/x.git`, 'git clone https://ann:***@example.com/x.git'],
    [`echo ghp_${long}`, 'echo ghp_***'],
    [`echo github_pat_${long}_${long}`, 'echo github_pat_***'],
    [`OPENAI=sk-proj-${long} node a.js`, 'OPENAI=sk-proj-*** node a.js'],
    [`sk-ant-${long}`, 'sk-ant-***'],
    ['aws AKIAIOSFODNN7EXAMPLE now', 'aws AKIA*** now'],
    ['slack xoxb-1234567890-abcdefghij', 'slack xoxb-***'],
    [
      `curl -H "Authorization: Bearer ${long}" https://x.test`,
      'curl -H "Authorization: Bearer ***" https://x.test',
    ],
    [`a eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${long} b`, 'a eyJ*** b'],
    ['mysql --password hunter22 -u root', 'mysql --password *** -u root'],
    ['mysql --password=hunter22 -u root', 'mysql --password=*** -u root'],
    ['DB_PASSWORD=hunter22 ./run', 'DB_PASSWORD=*** ./run'],
    ['{"api_key": "abcdefgh", "a": 1}', '{"api_key": "***", "a": 1}'],
    ['https://x.test/?token=abcdefgh&page=2', 'https://x.test/?token=***&page=2'],
    ['client_secret: abcdefgh\nname: x', 'client_secret: ***\nname: x'],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4\nMIIE\n-----END RSA PRIVATE KEY-----\nrest',
      '-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----\nrest',
    ],
    ['-----BEGIN PRIVATE KEY-----\nMIIE\nwithout an end', '-----BEGIN PRIVATE KEY-----***'],
  ])('%s', (text, expected) => expect(maskSecrets(text)).toBe(expected))

  it('removes known values', () => {
    const values = secretValues({
      DB_PASSWORD: 'correct horse',
      SHORT_KEY: 'abc',
      PATH: '/usr/bin:/bin',
      PWD: '/home/ann/project',
      MY_TOKEN: 'correct horse battery',
    })
    expect(values).toEqual(['correct horse battery', 'correct horse'])
    expect(maskSecrets('say correct horse battery, correct horse', values)).toBe('say ***, ***')
  })
})

describe('keeps everything else', () => {
  it.each([
    'git commit -m "Tell why a token is needed"',
    'echo $GITHUB_TOKEN',
    'GITHUB_TOKEN=$OTHER node a.js',
    'token=<your token>',
    'cat docs/password-rules.md',
    'npm run sk-test',
    'ls -la /etc && rm -rf build',
    'https://example.com/a:b@c',
    'grep -rn "password" src',
    'sha256 3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b',
  ])('%s', (text) => expect(maskSecrets(text)).toBe(text))
})

it('takes linear time', () => {
  const hard = [
    'token'.repeat(40_000),
    '-----BEGIN PRIVATE KEY-----'.repeat(10_000),
    'a://b:'.repeat(40_000),
    'password= '.repeat(20_000),
    'eyJ'.repeat(70_000),
    'a-_'.repeat(70_000),
    '"secret"'.repeat(30_000),
  ]
  // A superlinear algorithm would not finish on these texts.
  for (const text of hard) expect(maskSecrets(text).length).toBeGreaterThan(0)
})

it('the quick check misses nothing that would be masked', () => {
  const heads =
    'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ hf_ pypi- sk- sk-ant- sk_live_ sk_test_ rk_live_ AKIA ASIA AIza xoxb- xapp- eyJ'
  const words =
    'Bearer basic password PASSWD passphrase secret token API-KEY apikey access_key private-key client_secret credentials'
  const piece = fc.oneof(
    fc.constantFrom(
      ...heads.split(' '),
      ...words.split(' '),
      'https://ann:',
      '@',
      '=',
      ': ',
      ' ',
      '"',
      '--',
      '.',
    ),
    fc.constantFrom(long, 'AKIAIOSFODNN7EXAMPLE', '-----BEGIN PRIVATE KEY-----', '\n'),
    fc.string({ maxLength: 6 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      if (maskSecrets(text) !== text) expect(JSON.stringify({ text })).toMatch(mayContainSecret)
    }),
    { numRuns: process.env['CADRE_DEEP'] ? 3000 : 800 },
  )
})
