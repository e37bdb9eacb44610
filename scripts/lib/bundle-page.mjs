// Bundles the page that `cadre open` serves: packages/web/dist/page with an index, and files whose names contain their hash.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Script } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { libraries } from './bundle-libraries.mjs'
import { ours } from './bundle-plugins.mjs'
import { fromRoot } from './run.mjs'

const source = fromRoot('packages', 'web')
const most = 45 * 1024

/** The folder that the server serves. `files.json` in it lists every file. */
export const pageFolder = path.join(source, 'dist', 'page')

export async function bundlePage() {
  await bundleServed()
  await bundleExport()
}

async function bundleServed() {
  rmSync(pageFolder, { recursive: true, force: true })
  mkdirSync(path.join(pageFolder, 'assets'), { recursive: true })
  const bundle = await rolldown(inputOptions('main'))
  const { output } = await bundle.write({
    dir: pageFolder,
    format: 'esm',
    entryFileNames: 'assets/[name]-[hash].js',
    chunkFileNames: 'assets/[name]-[hash].js',
    minify: true,
  })
  await bundle.close()
  const main = output.find((chunk) => chunk.isEntry).fileName
  checkSize(output)
  const index = readFileSync(path.join(source, 'src', 'index.html'), 'utf8')
    .replace('/main.js', `/${main}`)
    .replace('/style.css', `/${writeHashed('style.css', style())}`)
    .replace('/icon.svg', `/${writeHashed('icon.svg', readFileSync(path.join(source, 'src', 'icon.svg')))}`)
  writeFileSync(path.join(pageFolder, 'index.html'), index)
  const files = [
    'index.html',
    ...readdirSync(path.join(pageFolder, 'assets')).map((name) => `assets/${name}`),
  ]
  writeFileSync(path.join(pageFolder, 'files.json'), `${JSON.stringify(files.sort(), null, 2)}\n`)
}

function inputOptions(entry) {
  return {
    input: { [entry]: path.join(source, 'dist', `${entry}.js`) },
    platform: 'browser',
    // Alias to compiled modules, so that unused ones can be dropped.
    resolve: {
      alias: Object.fromEntries(
        Object.entries(libraries()).map(([name, dist]) => [name, `${dist}/index.js`]),
      ),
    },
    treeshake: { moduleSideEffects: (id) => !ours.test(id) || id.endsWith(`${entry}.js`) },
  }
}

/** The script and the style of `cadre open --export`. They become part of an HTML file, and are never served. */
async function bundleExport() {
  const bundle = await rolldown(inputOptions('export'))
  const { output } = await bundle.generate({ format: 'iife', minify: true, codeSplitting: false })
  await bundle.close()
  // Only in texts and regular expressions, where the escape means the same character. In other places it would not compile.
  const code = output[0].code.trim().replace(/<(?=!--|\/?script)/gi, '\\x3c')
  new Script(code)
  const parts = { 'export.js': code, 'export.css': style() }
  for (const [name, text] of Object.entries(parts)) {
    // An HTML parser would end the element, or change the text whose hash the policy names.
    if (/<\/?script|<\/style|<!--|[\0\r]/i.test(text))
      throw new Error(`${name} contains text that cannot be part of an HTML file.`)
    writeFileSync(path.join(pageFolder, name), text)
  }
}

/** What the first view needs: the entry, what it imports, and the views that a person sees first. */
function checkSize(chunks) {
  const named = (file) => chunks.find(({ fileName }) => fileName === file)
  const first = new Set()
  const add = (chunk) => {
    if (chunk?.type !== 'chunk' || first.has(chunk)) return
    first.add(chunk)
    for (const file of chunk.imports) add(named(file))
  }
  for (const chunk of chunks)
    if (chunk.isEntry || chunk.name === 'runs' || chunk.name === 'waiting') add(chunk)
  const size = [...first].reduce((sum, { code }) => sum + gzipSync(code).length, 0)
  if (size > most)
    throw new Error(
      `The page needs ${size} bytes of JavaScript at first load, gzipped. The limit is ${most}.`,
    )
}

/** All style files in the order of their names, without comments and indentation. */
function style() {
  const folder = path.join(source, 'src', 'style')
  return readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .sort()
    .map((name) => readFileSync(path.join(folder, name), 'utf8'))
    .join('\n')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '\n')
}

function writeHashed(name, content) {
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
  const { name: base, ext } = path.parse(name)
  const file = `assets/${base}-${hash}${ext}`
  writeFileSync(path.join(pageFolder, file), content)
  return file
}
