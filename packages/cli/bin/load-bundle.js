import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

// A script with cached code must not use `import(…)` itself, because V8 loses its import callback. scripts/bundle.mjs
// writes this name instead.
const importModule = (specifier) => import(specifier)
const parameters = 'exports, require, module, __filename, __importModule'

// A run is short and executes much code once: V8 would spend a quarter of the CPU on optimizing. With eight times the
// budget it starts later. Newer versions of Node have another compiler, and V8 warns about unknown flags.
if (process.versions.node.startsWith('20.')) {
  setFlagsFromString('--interrupt-budget=540672')
  // Objects of a round live longer than V8 expects of young ones, so most garbage is in the old generation. Collecting it
  // when the heap has doubled, instead of quadrupled, saves a fifth of the memory of a large run.
  setFlagsFromString('--heap-growing-percent=100')
}

/** The path of the compiled code of a bundle file. */
export function codeFile(file) {
  return `${file}.${process.platform}-${process.arch}.code`
}

/**
 * Runs `main.cjs` of a bundle. Compiling takes most of the startup time, so a file can have its compiled code next to it,
 * in `*.code`. V8 ignores code of another version and compiles the file. Returns the scripts by file, including those
 * loaded later.
 */
export function loadBundle(folder) {
  const nodeRequire = createRequire(folder)
  const modules = new Map()
  const scripts = new Map()
  const load = (name) => {
    if (!name.startsWith('./')) return nodeRequire(name)
    const known = modules.get(name)
    if (known) return known.exports
    const module = { exports: {} }
    modules.set(name, module)
    const url = new URL(name, folder)
    const file = fileURLToPath(url)
    const code = codeFile(file)
    // The bundle is ASCII (scripts/lib/bundle-plugins.mjs), and this encoding is the fastest to read.
    const script = new Script(`(function (${parameters}) {${readFileSync(file, 'latin1')}\n})`, {
      filename: url.href,
      cachedData: existsSync(code) ? readFileSync(code) : undefined,
    })
    scripts.set(file, script)
    script.runInThisContext().call(module.exports, module.exports, load, module, file, importModule)
    return module.exports
  }
  load('./main.cjs')
  return scripts
}
