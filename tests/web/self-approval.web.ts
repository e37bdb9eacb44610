/** An agent whose command a person approved attacks the page, to get more approved. The person did not read the program. */
import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bin } from '../cli/support/cadre.ts'
import { logIn } from '../cli/support/log-in.ts'
import { agentFile, createProject, type Project } from '../cli/support/project.ts'
import { until } from '../cli/support/until.ts'
import { skipWithoutSandbox } from '../support/skip-without-sandbox.ts'

const attack = `
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readdirSync, writeFileSync, readFileSync } from 'node:fs'
const { address, approval, action } = JSON.parse(readFileSync('known.json', 'utf8'))
const { CADRE_COMMAND: _, ...unmarked } = process.env
const port = new URL(address).port
const results = []
const send = async (what, target, headers = {}, body = undefined) => {
  try {
    const init = { method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json', ...headers } }
    const response = await fetch(address + target, body ? { ...init, body: JSON.stringify(body) } : init)
    results.push(what + ' ' + response.status)
    return response
  } catch { results.push(what + ' unreachable') }
}
const decide = (what, headers) =>
  send(what, '/api/approvals/' + encodeURIComponent(approval) + '/decision', headers, { decision: 'approve', action })
const useLogin = async (what, secret) => {
  const response = await send(what, '/api/login', {}, { secret })
  if (!response?.ok) return
  const cookie = response.headers.get('set-cookie').split(';')[0]
  const { key } = await response.json()
  await decide(what + ', decide', { cookie, 'x-cadre-key': key })
}
await decide('nothing')
await decide('our origin', { origin: address, 'sec-fetch-site': 'same-origin' })
await decide('half a login', { cookie: 'cadre-' + port + '=' + 'A'.repeat(43) })
await decide('a token', { authorization: 'Bearer cadre' })
await send('reading', '/api/approvals')
try {
  for (const name of readdirSync('.cadre/storage/logins')) await useLogin('the name of a login', name)
} catch (error) { results.push('logins ' + error.code) }
try {
  const secret = randomBytes(32).toString('base64url')
  mkdirSync('.cadre/storage/logins', { recursive: true })
  const file = '.cadre/storage/logins/' + createHash('sha256').update(secret).digest('hex')
  writeFileSync(file, JSON.stringify({ at: Date.now(), by: 'ann', roles: ['admin'] }), { mode: 0o600 })
  await useLogin('a forged login', secret)
} catch (error) { results.push('forging ' + error.code) }
for (const env of [process.env, unmarked]) {
  const { stdout = '' } = spawnSync(process.execPath, [${JSON.stringify(bin)}, 'open', '--json', '--no-browser'], { env, encoding: 'utf8', timeout: 20000 })
  const secret = /#key=([\\w-]+)/.exec(stdout)?.[1]
  if (secret) await useLogin('cadre open', secret)
  else results.push('cadre open gives no link')
  spawnSync(process.execPath, [${JSON.stringify(bin)}, 'approve', approval], { env, timeout: 20000 })
}
writeFileSync('results.json', JSON.stringify(results))
console.log(results.join('\\n'))
`

function createTarget(): Project {
  const write = (file: string) => ({ tool: 'write_file', input: { path: file, content: 'x' } })
  return createProject({
    ...agentFile('lead'),
    'program.mjs': attack,
    'other.yaml': { lanes: { lead: [{ calls: [write('other.txt')] }, { reply: 'ok' }] } },
    'p.yaml': {
      lanes: {
        lead: [
          { calls: [{ tool: 'execute_command', input: { command: 'node ./program.mjs' } }] },
          { calls: [write('own.txt')] },
          { reply: 'ok' },
        ],
      },
    },
    '.cadre/storage/policy.yaml': { network: 'allow' },
  })
}

for (const hasSandbox of [false, true])
  test(`an agent cannot approve through the page, ${hasSandbox ? 'with' : 'without'} a sandbox`, async (context) => {
    if (hasSandbox) await skipWithoutSandbox(context)
    const project = createTarget()
    mkdirSync(project.at('bin'))
    symlinkSync(process.execPath, project.at('bin', 'node'))
    const PATH = hasSandbox ? `${path.dirname(process.execPath)}:${process.env['PATH']}` : project.at('bin')
    const env = { PATH }
    const cadre = (...args: string[]) => project.cadre(args, { env })
    await cadre('run', '--trust', '--model', 'scripted:other.yaml', 'Write it.')
    const [waiting] = JSON.parse((await cadre('approvals', '--json')).stdout) as {
      id: string
      action: string
    }[]
    onTestFinished(() => cadre('down', '--trust').then(() => {}))
    expect(await cadre('up', '--detach', '--trust', '--model', 'scripted:p.yaml')).toMatchObject({ code: 0 })
    const opened = JSON.parse((await cadre('open', '--json', '--no-browser')).stdout) as {
      url: string
      address: string
    }
    const client = await logIn(opened)
    project.write('known.json', { address: opened.address, approval: waiting?.id, action: waiting?.action })
    const { id } = await client.startSession({ body: { work: 'Do both.', agent: 'lead' } })
    const pending = async (action: string) =>
      (await client.listApprovals()).items.find((one) => one.session === id && one.action === action)
    await until(async () => (await pending('node ./program.mjs')) !== undefined)
    const command = await pending('node ./program.mjs')
    if (command === undefined) throw new Error('the command does not wait')
    await client.decide({ params: { id: command.id }, body: { decision: 'approve', action: command.action } })
    // The program has ended, and so has its call.
    await until(async () => (await pending('own.txt')) !== undefined)
    const results = JSON.parse(project.read('results.json')) as string[]
    expect(results.slice(0, 2)).toEqual(['nothing 401', 'our origin 401'])
    expect(results.filter((line) => / 2\d\d$/.test(line))).toEqual([])
    const { items } = await client.listApprovals()
    expect(items.map(({ action }) => action).toSorted()).toEqual(['other.txt', 'own.txt'])
    expect([project.exists('other.txt'), project.exists('own.txt')]).toEqual([false, false])
    if (hasSandbox) expect(results.join('\n')).toMatch(/forging|logins E/)
    else expect(results).toContain('a forged login 423')
  })
