// Puts the command into few files: loading two hundred small modules would be most of the time until the first question.
// Libraries stay as they are compiled. See docs/decisions/2026-11-15-bundle-the-command.md.
import { rmSync } from 'node:fs'
import { rolldown } from 'rolldown'
import { fromRoot } from './lib/run.mjs'

const dir = fromRoot('packages', 'cli', 'dist', 'bundle')
rmSync(dir, { recursive: true, force: true })
const bundle = await rolldown({
  input: fromRoot('packages', 'cli', 'dist', 'main.js'),
  platform: 'node',
  // Loaded only when needed, from where they are installed: a parser, and a package that holds a program.
  external: [/^node:/, 'yaml', '@vscode/ripgrep'],
  // No module of ours does anything when it is loaded but define things, so that what is not used can be left out.
  treeshake: {
    moduleSideEffects: (id) => !/[\\/]packages[\\/][^\\/]+[\\/]dist[\\/]/.test(id) || id.endsWith('main.js'),
  },
})
await bundle.write({ dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name].js' })
await bundle.close()
