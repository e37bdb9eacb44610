// Watches two folders. At startup it reads every file once; when one has changed and is quiet, it reads it and sends its
// last line to the model. It checks, remembers and writes nothing.
import fs from 'node:fs'
import http from 'node:http'
import path from 'node:path'

const [home, base, settleMs] = process.argv.slice(2)
const agent = new http.Agent({ keepAlive: true })
const waiting = new Map()
const status = new Map()
for (const folder of ['sessions', 'tasks'].map((name) => path.join(home, name))) {
  fs.watch(folder, (_, name) => {
    const file = path.join(folder, name)
    clearTimeout(waiting.get(file))
    waiting.set(file, setTimeout(checkFile, Number(settleMs), file))
  })
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    status.set(file, /^status: (\w+)/m.exec(fs.readFileSync(file, 'utf8'))?.[1])
  }
}
process.stdout.write('ready\n')

function checkFile(file) {
  waiting.delete(file)
  const last = fs.readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)
  const body = JSON.stringify({ model: 'fake', stream: true, messages: [{ role: 'user', content: last }] })
  const request = http.request(`${base}/chat/completions`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  })
  request.on('response', (response) => response.resume())
  request.end(body)
}
