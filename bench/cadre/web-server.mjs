// The page's server in a process of its own, with so many sessions in its index. Prints a link and an address for each request
// `login`; `change N` changes N rows a second until `still`; `memory` prints its resident memory.
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'
import { openHome } from '@cadre/home'
import { createPage } from '../../packages/server/dist/http/create-page.js'
import { consumeLogin, writeLogin } from '../../packages/server/dist/http/guard/login-file.js'
import { pageFolder } from '../../packages/server/dist/http/page-folder.js'
import { createSite } from '../../packages/server/dist/http/site.js'
import { startHttp } from '../../packages/server/dist/http/start-http.js'
import { openStaticFiles } from '../../packages/server/dist/http/static-files.js'

const [tmp, count] = [process.argv[2], Number(process.argv[3])]
const home = openHome({ home: path.join(tmp, 'home'), cwd: '/', env: {} })
fs.mkdirSync(home.at('sessions'), { recursive: true })
const page = createPage({
  home,
  environment: { env: {}, cwd: tmp, warn: () => {} },
  workspace: tmp,
  version: '0.0.0',
  readOnly: false,
  sandbox: async () => true,
  sessions: { read: async () => undefined, bytes: () => undefined },
  approvals: { of: async () => [], decide: async () => ({ kind: 'missing' }) },
  status: () => ({}),
  problems: () => [],
  takeLogin: (secret) => consumeLogin(home, secret),
})
let site
const http = await startHttp({ port: 0, posts: new Map(), site: () => site })
site = createSite({
  context: page.context,
  place: { port: http.port },
  files: openStaticFiles(pageFolder()),
  failed: console.error,
})
await page.build()
const { index } = page.context
for (let number = 0; number < count; number++) {
  const [run, below] = [Math.floor(number / 50), number % 50]
  const root = `lead-${run}`
  const time = new Date(Date.parse('2026-11-15T10:00:00.000Z') + number * 1000).toISOString()
  index.set({
    id: below === 0 ? root : `worker-${run}-${below}`,
    agent: below === 0 ? 'lead' : 'worker',
    ...(below > 0 && { parent: root, call: `c${below}` }),
    root,
    depth: below === 0 ? 0 : 1,
    state: 'working',
    work: `Work ${number} of the benchmark`,
    model: 'scripted',
    created: time,
    updated: time,
    usage: { input: 900, output: 100, cost: 0.01 },
    calls: 3,
    questions: new Map(),
    asked: 0,
  })
}
let timer
let changes = 0
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
const commands = {
  login() {
    const secret = writeLogin(home, { by: 'bench', roles: ['viewer'] })
    say({ address: http.address, url: `${http.address}/#key=${secret}`, secret })
  },
  change(perSecond) {
    timer = setInterval(() => {
      for (let i = 0; i < perSecond / 50; i++) {
        const number = (changes++ * 7919) % count
        const id =
          number % 50 === 0 ? `lead-${number / 50}` : `worker-${Math.floor(number / 50)}-${number % 50}`
        index.change(id, (facts) => {
          facts.doing = `reads file ${changes}.ts`
          facts.usage = { ...facts.usage, output: facts.usage.output + 7 }
        })
      }
    }, 20)
    say({})
  },
  still() {
    clearInterval(timer)
    say({ changes })
  },
  memory() {
    globalThis.gc?.()
    say({ rssMb: process.memoryUsage().rss / 1e6, readers: page.context.hub.readers() })
  },
}
say({ ready: true })
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [name, value] = line.split(' ')
  commands[name](Number(value))
}
page.stop()
await http.close()
