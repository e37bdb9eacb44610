import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * A program that implements the protocol of the language server. `body` is its code: `c` is the connection, on which it
 * must listen.
 */
export function writeServer(body: string): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-server-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const program = path.join(folder, 'server.cjs')
  const library = createRequire(import.meta.url).resolve('vscode-jsonrpc/node')
  const opening = `const rpc = require(${JSON.stringify(library)})
const { stdin, stdout } = process
const c = rpc.createMessageConnection(new rpc.StreamMessageReader(stdin), new rpc.StreamMessageWriter(stdout))
c.onNotification('exit', () => process.exit(0))
`
  writeFileSync(program, opening + body)
  return program
}
