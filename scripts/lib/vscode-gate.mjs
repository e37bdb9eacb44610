// code-server lets every extension use proposed API. VS Code does not: it throws unless the extension's manifest lists the
// proposal, which the Marketplace rejects. So these copies get VS Code's rule back; without it, a test could pass with API
// that no user's VS Code has.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const bundles = [
  ['out', 'vs', 'code', 'browser', 'workbench', 'workbench.js'],
  ['out', 'vs', 'workbench', 'api', 'node', 'extensionHostProcess.js'],
]
// `isProposedApiEnabled`, which returns true, and the start of `checkProposedApiEnabled`, which identifies it.
const open =
  /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(function [\w$]+\(\2,\3\)\{if\(!\1\(\2,\3\)\)throw new Error\(`Extension)/g

/** `code` is the folder lib/vscode of a code-server. */
export function closeProposedApi(code) {
  for (const bundle of bundles) {
    const file = path.join(code, ...bundle)
    const text = readFileSync(file, 'utf8')
    const found = [...text.matchAll(open)].length
    if (found !== 1) {
      throw new Error(`${file}: expected one function that allows all proposed API, and found ${found}.`)
    }
    writeFileSync(
      file,
      text.replace(open, 'function $1($2,$3){return!!$2.enabledApiProposals?.includes($3)}$4'),
    )
  }
}
