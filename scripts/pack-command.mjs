// Packs the command and the library as one self-contained package: packages/cli/dist/cadre.tgz.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { rolldown } from 'rolldown'
import { ensure } from './ensure.mjs'
import { libraries } from './lib/bundle-libraries.mjs'
import { bundledParsers, copyAssets, findAssets, ours } from './lib/bundle-plugins.mjs'
import { fromRoot, say } from './lib/run.mjs'

const source = fromRoot('packages', 'cli')
const folder = path.join(source, 'dist', 'package')
/** By package: its exports, and their files. */
const places = new Map()

/** JavaScript modules have no `require`, so the parsers are imported. */
const importParsers = {
  name: 'import-parsers',
  transform(code, id) {
    const lazy = /\bcreateRequire\(import\.meta\.url\)\(['"](yaml|jsonc-parser)['"]\)/
    const name = ours.test(id) ? lazy.exec(code)?.[1] : undefined
    if (name === undefined) return null
    return { code: `import * as importedParser from '${name}'\n${code.replace(lazy, 'importedParser')}` }
  },
}

await ensure({ build: true })
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const name of ['bin', 'demo', 'dist/bundle'])
  cpSync(path.join(source, name), path.join(folder, name), { recursive: true })
for (const name of ['README.md', 'CHANGELOG.md', 'LICENSE']) cpSync(fromRoot(name), path.join(folder, name))
await bundleLibrary()
copyTypes()
writeManifest()
pack()

/** Everything in a few files. Shares nothing with the command, which has its own bundle. */
async function bundleLibrary() {
  const bundle = await rolldown({
    input: ['index', 'client', 'testing'].map((name) => path.join(source, 'dist', `${name}.js`)),
    platform: 'node',
    resolve: {
      alias: {
        ...Object.fromEntries(Object.entries(libraries()).map(([name, dist]) => [name, `${dist}/index.js`])),
        ...bundledParsers,
      },
    },
    external: [/^node:/, '@vscode/ripgrep'],
    checks: { ineffectiveDynamicImport: false },
    treeshake: { moduleSideEffects: (id) => !ours.test(id) },
    plugins: [importParsers, findAssets],
  })
  const dir = path.join(folder, 'dist', 'lib')
  await bundle.write({ dir, format: 'esm', chunkFileNames: '[name].js' })
  await bundle.close()
  copyAssets(dir)
}

/** The types of packages are next to each other and import each other by path. Only those in the public API are included. */
function copyTypes() {
  const seen = new Set()
  const waiting = ['cli/index.d.ts', 'cli/client.d.ts', 'cli/testing.d.ts']
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    const [name, ...rest] = file.split('/')
    const above = '../'.repeat(rest.length)
    const text = withPlaces(readFileSync(fromRoot('packages', name, 'dist', ...rest), 'utf8'), above)
    for (const [, target] of text.matchAll(/['"](\.{1,2}\/[^'"]+)\.js['"]/g))
      waiting.push(`${path.posix.join(path.posix.dirname(file), target)}.d.ts`)
    const copy = path.join(folder, 'dist', 'types', ...file.split('/'))
    mkdirSync(path.dirname(copy), { recursive: true })
    writeFileSync(copy, text)
  }
}

/** Replaces imports from packages with imports from the defining files, so that only those are needed. */
function withPlaces(text, above) {
  return text
    .replaceAll(
      /\b(import|export)( type)? \{([^}]*)\} from (['"])@cadre\/([a-z-]+)\4;?/g,
      (_, verb, type = '', names, __, from) =>
        names
          .split(',')
          .map((name) => name.trim())
          .filter(Boolean)
          .map((name) => {
            const [known] = name.replace(/^type /, '').split(' as ')
            return `${verb}${type} { ${name} } from '${above}${from}/${placeOf(from, known)}'`
          })
          .join('\n'),
    )
    .replaceAll(/\.ts(['"])/g, '.js$1')
}

/** Returns the file of a package that defines this export of its index. */
function placeOf(from, name) {
  if (!places.has(from)) {
    const index = readFileSync(fromRoot('packages', from, 'dist', 'index.d.ts'), 'utf8')
    const exported = [...index.matchAll(/export (?:type )?\{([^}]*)\} from ['"]\.\/([^'"]+)\.ts['"]/g)]
    const files = exported.flatMap(([, names, file]) =>
      names.split(',').map((one) => [one.trim().replace(/^type /, ''), `${file}.js`]),
    )
    places.set(from, new Map(files))
  }
  const file = places.get(from).get(name)
  if (file === undefined) throw new Error(`@cadre/${from} exports no ${name}`)
  return file
}

function writeManifest() {
  const { dependencies: _, ...manifest } = JSON.parse(readFileSync(path.join(source, 'package.json'), 'utf8'))
  const tools = JSON.parse(readFileSync(fromRoot('packages', 'tools', 'package.json'), 'utf8'))
  const entry = (name) => ({ types: `./dist/types/cli/${name}.d.ts`, default: `./dist/lib/${name}.js` })
  const own = {
    ...manifest,
    exports: {
      '.': entry('index'),
      './client': entry('client'),
      './testing': entry('testing'),
      './package.json': './package.json',
    },
    // A program for each platform. Without it, search is slower.
    optionalDependencies: { '@vscode/ripgrep': tools.dependencies['@vscode/ripgrep'] },
  }
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(own, null, 2)}\n`)
}

function pack() {
  const { status, stdout } = spawnSync('npm', ['pack', '--silent'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 2],
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    say('The package could not be packed; the reason is above.')
    process.exit(1)
  }
  const file = path.join(source, 'dist', 'cadre.tgz')
  renameSync(path.join(folder, stdout.trim().split('\n').at(-1)), file)
  say(`${file} (${Math.round(statSync(file).size / 1024)} KB)`)
}
