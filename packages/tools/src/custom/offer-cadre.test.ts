import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { hasCadre, mayLackCadre } from './offer-cadre.ts'

/** Returns the URL of a bundle in a package with this manifest. */
function bundleIn(manifest: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-offer-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(path.join(folder, 'out'))
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(path.join(folder, 'out', 'index.js'), '')
  return pathToFileURL(path.join(folder, 'out', 'tools.cjs')).href
}

it('offers cadre from its own package', () => {
  expect(hasCadre(bundleIn({ name: 'cadre', exports: { '.': { default: './out/index.js' } } }))).toBe(true)
})

it('offers nothing from an editor extension', () => {
  expect(hasCadre(bundleIn({ name: 'copilot-multi-agent', main: './out/extension.cjs' }))).toBe(false)
})

const withCadre = () =>
  fileURLToPath(bundleIn({ name: 'cadre', exports: { '.': { default: './out/index.js' } } }))
const withoutCadre = () => fileURLToPath(bundleIn({ name: 'other' }))

it.each(["import { join } from 'node:path'\nexport const tools = []", 'export const tools = []'])(
  'needs no offer for a module that does not import cadre: %j',
  (source) => {
    expect(mayLackCadre(source, withoutCadre())).toBe(false)
  },
)

it('needs no offer if the project of the module has cadre', () => {
  const source = 'import {\n  defineTool,\n} from \'cadre\'\nimport { say } from "cadre/testing"'
  expect(mayLackCadre(source, withCadre())).toBe(false)
  expect(mayLackCadre(source, withoutCadre())).toBe(true)
})

it.each([
  "import { tool } from '../../outside/tool.mjs'",
  "import 'elsewhere'",
  "export * from 'elsewhere'",
  "const { tool } = await import('elsewhere')",
  "import { createRequire } from 'node:module'\nconst tool = createRequire(import.meta.url)('elsewhere')",
  "import a from 'cadre'; import b from 'elsewhere'",
  "import { x } from 'elsewhere'; import { y } from 'node:path'",
])('needs the offer for a module that may import others: %j', (source) => {
  expect(mayLackCadre(source, withCadre())).toBe(true)
})
