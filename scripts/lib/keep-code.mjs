import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fromRoot, say } from './run.mjs'

/** Runs the bundled command once, in a folder with a configuration, and stores the code that V8 compiled next to the bundle. */
export async function keepCode(bundle) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-code-'))
  mkdirSync(path.join(folder, '.cadre'))
  writeFileSync(path.join(folder, '.cadre', 'config.yaml'), 'limits: { concurrency: 8 }\n')
  const server = createServer(answer).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const address = `http://127.0.0.1:${server.address().port}`
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      OPENAI_BASE_URL: `${address}/v1`,
      OPENAI_API_KEY: 'none',
      // The code of the exporter is in a file of its own.
      OTEL_EXPORTER_OTLP_ENDPOINT: address,
    }
    const child = spawn(process.execPath, [fromRoot('scripts', 'lib', 'run-and-keep.mjs'), bundle], {
      cwd: folder,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const [code] = await once(child, 'exit')
    if (code !== 0)
      say('No compiled code is kept beside the bundle: the command could not be run. It starts slower.')
  } finally {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A model that reads a file, and then answers. */
function answer(request, response) {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const isFirst = !Buffer.concat(chunks).includes('"role":"tool"')
    const call = { name: 'read_file', arguments: '{"path":"."}' }
    const delta = isFirst
      ? { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: call }] }
      : { content: 'ok' }
    const choice = { index: 0, delta, finish_reason: isFirst ? 'tool_calls' : 'stop' }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`data: ${JSON.stringify({ choices: [choice], usage })}\n\ndata: [DONE]\n\n`)
  })
}
