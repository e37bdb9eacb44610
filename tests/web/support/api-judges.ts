import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { onTestFinished } from 'vitest'

const run = promisify(execFile)

function program(name: string): string {
  const folder = process.env['CADRE_TEST_API_JUDGES']
  if (folder === undefined)
    throw new Error('CADRE_TEST_API_JUDGES is not set: start the tests with `npm run test:web`.')
  return path.join(folder, 'node_modules', '.bin', name)
}

/** Nothing of these programs may use the network or write into the user's folders. */
function environment(home: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: home,
    NO_COLOR: '1',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    REDOCLY_TELEMETRY: 'off',
  }
}

/** A folder with the document, removed at the end of the test. */
export function writeDocument(document: unknown): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-judges-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document, undefined, 2))
  writeFileSync(path.join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  writeFileSync(path.join(folder, 'redocly.yaml'), 'extends: [recommended]\n')
  return file
}

const lintArguments = {
  spectral: ['--format', 'json', '--fail-severity', 'hint', '--quiet'],
  redocly: ['--format', 'json', '--max-problems', '50'],
}

/** Everything that a linter finds in the document, warnings included. */
export async function lintDocument(name: 'spectral' | 'redocly', file: string): Promise<unknown[]> {
  const cwd = path.dirname(file)
  const output = await run(program(name), ['lint', file, ...lintArguments[name]], {
    cwd,
    env: environment(cwd),
  }).catch((error: Error & { stdout?: string }) => {
    if (!error.stdout) throw error
    return { stdout: error.stdout }
  })
  const found = JSON.parse(output.stdout || '[]') as unknown[] | { readonly problems: unknown[] }
  return Array.isArray(found) ? found : found.problems
}

/** A proxy that refuses every request and every answer that differs from the document. Ended with the test. */
export async function startPrism(file: string, address: string): Promise<string> {
  const port = await freePort()
  const args = ['proxy', file, address, '--errors', '--port', String(port), '--host', '127.0.0.1']
  const child: ChildProcess = spawn(program('prism'), args, {
    env: environment(path.dirname(file)),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  })
  await new Promise<void>((resolve, reject) => {
    let output = ''
    const read = (part: Buffer) => {
      output += part.toString()
      if (output.includes('is listening on')) resolve()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`prism ended with ${code}:\n${output}`)))
  })
  return `http://127.0.0.1:${port}`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
