import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'
import { startRestateServer } from './restate-server.ts'

/** One server for all test files, and the bundled workers of the suites that kill. They find them in the environment. */
export async function setup(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-scale-'))
  const server = await startRestateServer({ folder })
  process.env['CADRE_TEST_RESTATE_INGRESS'] = server.ingress
  process.env['CADRE_TEST_RESTATE_ADMIN'] = server.admin
  process.env['CADRE_SCALE_WORKER'] = await bundleWorker(folder, 'kill/worker-program')
  process.env['CADRE_SCALE_BUDGET_WORKER'] = await bundleWorker(folder, 'budget/budget-worker')
  return async () => {
    await server.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Loading hundreds of modules would take most of a worker's time until it is ready. */
async function bundleWorker(folder: string, program: string): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, '..', `${program}.ts`),
    platform: 'node',
    external: [/^node:/, /^@restatedev\//, '@vscode/ripgrep'],
    transform: { target: 'node20' },
    resolve: { conditionNames: ['cadre-source', 'node', 'import'] },
    treeshake: { moduleSideEffects: (id) => !/[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/.test(id) },
  })
  const dir = join(folder, program)
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  symlinkSync(join(import.meta.dirname, '..', '..', '..', 'node_modules'), join(dir, 'node_modules'))
  return join(dir, `${basename(program)}.mjs`)
}
