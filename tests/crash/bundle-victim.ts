// Bundles `victim.ts` from the sources, because loading hundreds of modules would take most of each victim's time.
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rolldown } from 'rolldown'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of the bundled victim. */
    victim: string
  }
}

export async function setup({ provide }: TestProject): Promise<() => void> {
  const dir = mkdtempSync(path.join(tmpdir(), 'cadre-victim-'))
  const bundle = await rolldown({
    input: path.join(import.meta.dirname, 'victim.ts'),
    platform: 'node',
    external: [/^node:/, '@vscode/ripgrep'],
    // The sources use `await using`, which the oldest supported Node.js does not have.
    transform: { target: 'node20' },
    resolve: { conditionNames: ['cadre-source', 'node', 'import'] },
    // Cadre's modules have no side effects when loaded, except for the one that counts points.
    treeshake: { moduleSideEffects: (id) => !/[\\/]packages[\\/][^\\/]+[\\/]src[\\/]/.test(id) },
  })
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  // The YAML parser is loaded from there on first use.
  symlinkSync(path.join(import.meta.dirname, '..', '..', 'node_modules'), path.join(dir, 'node_modules'))
  provide('victim', path.join(dir, 'victim.mjs'))
  return () => rmSync(dir, { recursive: true, force: true })
}
