import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = path.join(import.meta.dirname, '../../../..')
const folder = mkdtempSync(path.join(tmpdir(), 'cadre-inbox-processes-'))

beforeAll(() => {
  const config = path.join(folder, 'vite.config.mjs')
  const resolve = { conditions: ['cadre-source', 'module', 'node', 'default'] }
  const ssr = path.join(import.meta.dirname, 'append-process.spec-helpers.ts')
  const output = { entryFileNames: 'program.mjs' }
  const build = { ssr, outDir: folder, emptyOutDir: false, rollupOptions: { output } }
  const settings = {
    resolve,
    ssr: { noExternal: true, external: ['yaml'], resolve },
    build,
    logLevel: 'error',
  }
  writeFileSync(config, `export default ${JSON.stringify(settings)}`)
  const vite = path.join(root, 'node_modules/vite/bin/vite.js')
  execFileSync(process.execPath, [vite, 'build', '--config', config], { cwd: folder })
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('keeps one complete line per id when several processes add the same ids', async () => {
  const home = path.join(folder, 'home')
  const run = () => promisify(execFile)(process.execPath, [path.join(folder, 'program.mjs'), home, '60'])
  const added = await Promise.all([run(), run(), run()])
  expect(added.reduce((sum, { stdout }) => sum + Number(stdout), 0)).toBe(60)
  const lines = readFileSync(path.join(home, 'inbox', 'mail.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
  const ids = lines.map((line) => (JSON.parse(line) as { id: string }).id)
  expect(ids.toSorted()).toEqual(Array.from({ length: 60 }, (_, at) => String(at)).toSorted())
})
