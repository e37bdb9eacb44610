/** Runs every curl example in `docs/http.md` against a daemon, in order, in one shell. */
import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { hashOf } from '../../packages/server/src/http/guard/login-file.ts'
import { startTestServer } from '../../packages/server/src/http/routes/routes.spec-helpers.ts'
import { say } from '../../packages/testing/src/index.ts'

const docs = readFileSync(fileURLToPath(new URL('../../docs/http.md', import.meta.url)), 'utf8')
const hasPrograms = ['curl', 'jq'].every((name) => spawnSync(name, ['--version']).status === 0)
const token = 'cadre_0123456789abcdefghij'

/** On a busy machine, the session starts later. */
const started = `until curl -fs -o /dev/null -H "Authorization: Bearer $TOKEN" "$CADRE/api/sessions/$ID"; do :; done\n`
/** A reader would wait until the session has answered: its journal changes until then. */
const rested = `until curl -s -H "Authorization: Bearer $TOKEN" "$CADRE/api/sessions/$ID/entries" |
  jq -e '(.entries | any(.content == "linted")) and .entries[-1].type == "session.ended"' > /dev/null; do :; done
`

test.skipIf(!hasPrograms)('every curl example of the HTTP docs works as written', async () => {
  const { address, client } = await startTestServer({
    lanes: { worker: [say('fixed'), say('linted')] },
    people: () => ({
      findByTokenHash: (given) =>
        given === hashOf(token) ? { name: 'ann', roles: ['operator', 'approver'] } : undefined,
    }),
  })
  const examples = [...docs.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text)
  expect(examples.length).toBeGreaterThan(6)
  // Every request must succeed, and a failure names its example.
  const strict = examples.map((text) =>
    `${text.includes('$ID') ? started : ''}${text.includes('/rewind') ? rested : ''}${text}`.replaceAll(
      'curl -s -',
      'curl -s -S --fail-with-body -',
    ),
  )
  const script = strict.map((text, index) => `echo "# example ${index + 1}"\n${text}\necho`).join('\n')
  const env = { PATH: process.env['PATH'] ?? '', CADRE: address, TOKEN: token }
  const { stdout } = await promisify(execFile)('sh', ['-euc', script], { env })
  expect(stdout).toContain('"by":"ann"')
  expect(stdout).toContain('Check the backup')
  expect(stdout).toMatch(/"seq":2,"removed":\d+/)
  const { items } = await client.listSessions()
  expect(items.map(({ id }) => id)).toEqual(['fix-build-1'])
})
