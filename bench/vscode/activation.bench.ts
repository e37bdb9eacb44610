import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'vitest'
import { openWorkbench } from '../../tests/vscode/support/open-workbench.ts'
import { startVsCode } from '../../tests/vscode/support/start-vscode.ts'

const built = path.join(import.meta.dirname, '..', '..', 'packages', 'vscode', 'dist', 'extension')
const repetitions = Number(process.env['BENCH_REPS'] ?? 5)

/** The extension, and one that does nothing. Neither starts automatically, so that the start can be timed. */
function makeExtensions(folder: string): string[] {
  const ours = path.join(folder, 'ours')
  cpSync(built, ours, { recursive: true, filter: (file) => !file.endsWith('.md') || file.includes('agents') })
  const manifest = JSON.parse(readFileSync(path.join(ours, 'package.json'), 'utf8'))
  writeFileSync(path.join(ours, 'package.json'), JSON.stringify({ ...manifest, activationEvents: [] }))
  const others = ['first', 'empty'].map((name) => {
    const at = path.join(folder, name)
    mkdirSync(at)
    const own = { name, publisher: 'bench', version: '0.0.1', main: './main.cjs', engines: manifest.engines }
    writeFileSync(path.join(at, 'package.json'), JSON.stringify({ ...own, activationEvents: [] }))
    writeFileSync(path.join(at, 'main.cjs'), 'exports.activate = () => {}\n')
    return at
  })
  return [ours, ...others]
}

test('the time in the extension host from activate() to its end', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'cadre-activation-'))
  const times: { empty: number; ours: number }[] = []
  try {
    const extensions = makeExtensions(folder)
    for (let repetition = 0; repetition < repetitions; repetition++) {
      const code = await startVsCode({ extensions })
      try {
        const workbench = await openWorkbench(code)
        times.push(
          await code.host.run(async (vscode) => {
            const time = async (id: string) => {
              const extension = vscode.extensions.getExtension(id)
              if (extension === undefined || extension.isActive) throw new Error(`${id} cannot be timed`)
              const began = performance.now()
              await extension.activate()
              return performance.now() - began
            }
            // The host's own work at a first activation is not counted.
            await time('bench.first')
            const empty = await time('bench.empty')
            return { empty, ours: await time('cadre.copilot-multi-agent') }
          }),
        )
        await workbench.close()
      } finally {
        await code.stop()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  writeFileSync(process.env['BENCH_OUT'] ?? '/dev/stdout', `${JSON.stringify(times)}\n`)
})
