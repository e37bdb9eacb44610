import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import path from 'node:path'
import { apiJudges } from '../../scripts/lib/api-judges.mjs'
import { median } from './median.mjs'
import { logIn } from './web-process.mjs'

const seconds = 3

/** Requests a second for 50 rows, of the page's server and of a bare one that always sends these bytes. They take turns. */
export async function measureRequests(server, reps) {
  const load = createRequire(path.join(await apiJudges('node bench/web.mjs'), 'package.json'))
  const autocannon = load('autocannon')
  const login = await server.ask('login')
  const headers = await logIn(login)
  const target = '/api/sessions?limit=50'
  const body = Buffer.from(await (await fetch(login.address + target, { headers })).arrayBuffer())
  const bare = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
  bare.listen(0, '127.0.0.1')
  await once(bare, 'listening')
  const measure = async (url, sent) => {
    const { requests, latency, non2xx } = await autocannon({
      url,
      headers: sent,
      connections: 20,
      duration: seconds,
    })
    if (non2xx > 0) throw new Error(`${non2xx} requests were refused`)
    return { perSecond: requests.average, p99: latency.p99 }
  }
  const runs = { bare: [], cadre: [] }
  for (let rep = 0; rep < reps; rep++)
    for (const name of rep % 2 === 0 ? ['bare', 'cadre'] : ['cadre', 'bare'])
      runs[name].push(
        name === 'bare'
          ? await measure(`http://127.0.0.1:${bare.address().port}/`, {})
          : await measure(login.address + target, headers),
      )
  bare.close()
  const middle = (name, key) => median(runs[name].map((run) => run[key]))
  return {
    bare: middle('bare', 'perSecond'),
    cadre: middle('cadre', 'perSecond'),
    p99: { bare: middle('bare', 'p99'), cadre: middle('cadre', 'p99') },
  }
}
