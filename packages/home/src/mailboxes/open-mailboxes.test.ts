import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import v8 from 'node:v8'
import vm from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { openHome } from '../home/open-home.ts'
import { openMailboxes } from './open-mailboxes.ts'

const megabyte = 2 ** 20

/** 32 MB of messages. */
function writeMessages(file: string): void {
  const text = 'x'.repeat(megabyte / 10)
  for (let index = 0; index < 320; index++)
    appendFileSync(file, `${JSON.stringify({ id: `m${index}`, session: 'lead-1', text })}\n`)
}

// Takes seconds.
it.runIf(process.env['CADRE_DEEP'] ?? process.env['CADRE_OPTIONAL'])(
  'counts messages without keeping their texts',
  () => {
    const root = mkdtempSync(path.join(tmpdir(), 'cadre-mailboxes-'))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const home = openHome({ cwd: root, env: { CADRE_HOME: root } })
    writeMessages(path.join(home.folder('mailboxes'), 'worker.jsonl'))
    const mailboxes = openMailboxes(home)
    v8.setFlagsFromString('--expose-gc')
    const collect = vm.runInNewContext('gc') as () => void
    collect()
    const before = process.memoryUsage().heapUsed
    expect(mailboxes.sentBy('lead-1')).toBe(320)
    collect()
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8 * megabyte)
    expect(mailboxes.has('worker', 'm319')).toBe(true)
  },
)
