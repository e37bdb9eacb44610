import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { startRestateServer } from './restate-server.ts'

/** One server for all test files, and the bundled worker of the kill suite. They find both in the environment. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-scale-'))
  const server = await startRestateServer({ folder })
  process.env['CADRE_TEST_RESTATE_INGRESS'] = server.ingress
  process.env['CADRE_TEST_RESTATE_ADMIN'] = server.admin
  process.env['CADRE_SCALE_WORKER'] = await bundleWorker(folder)
  return async () => {
    await server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Loading hundreds of modules would take most of a worker's time until it is ready. */
async function bundleWorker(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, '..', 'kill', 'worker-program.ts'),
    platform: 'node',
    external: [/^node:/, /^@restatedev\//, '@vscode/ripgrep'],
    transform: { target: 'node20' },
    resolve: { conditionNames: ['cadre-source', 'node', 'import'] },
    treeshake: { moduleSideEffects: (id) => !/[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/.test(id) },
  })
  const dir = join(folder, 'worker')
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  symlinkSync(join(import.meta.dirname, '..', '..', '..', 'node_modules'), join(dir, 'node_modules'))
  return join(dir, 'worker-program.mjs')
}
