import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { Script } from 'node:vm'

// A script with kept code must not say `import(…)` itself: V8 forgets who is to answer that. scripts/bundle.mjs writes this name instead.
const importModule = (specifier) => import(specifier)
const parameters = 'exports, require, module, __filename, importModule'

// A run is short and its code is broad: V8 would spend a quarter of the CPU on optimizing. It begins later, with eight times the budget.
// Later versions of Node have another compiler for that, and V8 complains about flags that it does not know.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=540672')

/** Where the compiled code of a file of the bundle is kept. */
export function codeFile(file) {
  return `${file}.${process.platform}-${process.arch}.code`
}

/**
 * Runs `main.cjs` of a bundle. Compiling is most of a start, so a file may have its compiled code beside it, in `*.code`. V8
 * ignores the code of another version of itself and compiles the file. Gives the scripts by file, those loaded later too.
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
    const script = new Script(`(function (${parameters}) {${readFileSync(file).toString()}\n})`, {
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
