import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { hasCadre, mayLackCadre } from './register-cadre-resolver.ts'

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

/** Returns a module of a project. `exports`: the exports of the copy of `cadre` in its `node_modules`, if it has one. */
function moduleIn(exports?: object): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-project-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const own = path.join(folder, 'node_modules', 'cadre')
  if (exports !== undefined) {
    mkdirSync(own, { recursive: true })
    writeFileSync(path.join(own, 'package.json'), JSON.stringify({ name: 'cadre', exports }))
    writeFileSync(path.join(own, 'index.js'), '')
  }
  return path.join(folder, 'tools', 'tool.mjs')
}
const withCadre = () => moduleIn({ '.': { default: './index.js' } })
const withoutCadre = () => moduleIn()

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

it('needs the offer if the copy of the project cannot be imported', () => {
  const source = "import { defineTool } from 'cadre'"
  expect(mayLackCadre(source, moduleIn({}))).toBe(true)
  expect(mayLackCadre(source, moduleIn({ '.': { default: './missing.js' } }))).toBe(true)
})
