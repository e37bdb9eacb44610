import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { hasCadre } from './offer-cadre.ts'

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
