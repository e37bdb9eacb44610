import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { bin } from './support/cadre.ts'

const loader = pathToFileURL(path.join(path.dirname(bin), 'load-bundle.js')).href
const bundle = pathToFileURL(path.join(path.dirname(bin), '..', 'dist', 'bundle', '/')).href
/** Runs `cadre --version` from the bundle and reports whether V8 accepted the cached code of its first file. */
const look = `const { loadBundle } = await import('${loader}')
process.argv = [process.execPath, 'cadre', '--version']
const scripts = [...loadBundle(new URL('${bundle}')).values()]
console.log(scripts.map(({ cachedDataRejected }) => cachedDataRejected).join())`

const run = (...flags: string[]) =>
  execFileSync(process.execPath, [...flags, '--input-type=module', '-e', look], { encoding: 'utf8' })

test('the Node that made the cached code uses it', () => {
  expect(run()).toMatch(/^cadre \d+\.\d+\.\d+ .*\nfalse(,false)*\n$/)
})

test('if V8 rejects the cached code, the bundle is compiled and works the same', () => {
  expect(run('--no-lazy')).toMatch(/^cadre \d+\.\d+\.\d+ .*\ntrue(,true)*\n$/)
})
