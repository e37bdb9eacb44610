import path from 'node:path'

const ofModules =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*|\bnew\s+URL\s*\(\s*)(['"`])(\.{0,2}\/[^'"`\n]+)\1/g
const ofPython = /^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import\b|import[ \t]+([\w., \t]+))/gm
/** A folder that is computed at run time: usually the script's own, or the project. */
const computedFolder = /\$(?:\{[^}\n]*\}|\((?:[^()\n]|\([^()\n]*\))*\)|\w+)"?\//g
const readOrStartedPath =
  /(?:^|[\s;&|({`!])(?:source|\.|exec|bash|sh|dash|zsh|node|bun|tsx|python3?|ruby|perl|php|(?:deno|bun)[ \t]+run)[ \t]+(?:-[\w-]+[ \t]+)*["']?([^\s;&|<>()"'`]+)/gm
const startedByPath =
  /(?:^|[;&|({`!]|\b(?:then|do|else|if|while|until)[ \t])[ \t]*["']?(\.{1,2}\/[^\s;&|<>()"'`]+|[\w.-]+(?:\/[\w.-]+)+\.\w+)/gm

/**
 * Returns the absolute paths of files that a script runs, existing or not: imports of a module or Python script, and files that a shell
 * script sources or starts. `folders`: where it may run. Does not find packages, or names that are computed at run time.
 */
export function findScriptImports(
  file: string,
  text: string,
  folders: readonly string[] = [],
): readonly string[] {
  const own = path.dirname(file)
  const anywhere = (name: string) => [own, ...folders].map((folder) => path.resolve(folder, name))
  switch (kindOf(file, text)) {
    case 'module':
      return [...text.matchAll(ofModules)].map(([, , name = '']) => path.resolve(own, name))
    case 'shell': {
      const plain = text.replaceAll(computedFolder, './')
      const names = [...plain.matchAll(readOrStartedPath), ...plain.matchAll(startedByPath)]
      return names.flatMap(([, name = '']) =>
        /[./]/.test(name) && !/[$*?\0]/.test(name) ? anywhere(name) : [],
      )
    }
    case 'python':
      return [...text.matchAll(ofPython)].flatMap(([, from, names = '']) =>
        (from === undefined ? names.split(',') : [from]).flatMap(pythonFiles).flatMap(anywhere),
      )
    default:
      return []
  }
}

/** A file beside a script takes precedence over a standard module with the same name. */
function pythonFiles(name: string): string[] {
  const [module = ''] = name.trim().split(/\s/)
  const dots = /^\.*/.exec(module)?.[0].length ?? 0
  const parts = module.split('.').filter((part) => part !== '')
  const at = [...Array.from({ length: dots - 1 }, () => '..'), ...parts].join('/')
  return parts.length === 0 ? [path.posix.join(at, '__init__.py')] : [`${at}.py`, `${at}/__init__.py`]
}

function kindOf(file: string, text: string): 'module' | 'shell' | 'python' | undefined {
  const [, ending = ''] = /\.(\w+)$/.exec(path.basename(file)) ?? []
  if (/^(?:[cm]?[jt]s|[jt]sx)$/i.test(ending)) return 'module'
  if (/^(?:sh|bash|zsh|ksh)$/i.test(ending)) return 'shell'
  if (/^pyw?$/i.test(ending)) return 'python'
  const [first = ''] = text.slice(0, 200).split('\n', 1)
  if (!first.startsWith('#!')) return undefined
  if (/\b(?:node|bun|deno|tsx)\b/.test(first)) return 'module'
  if (/\bpython/.test(first)) return 'python'
  return /\b(?:ba|da|z|k)?sh\b/.test(first) ? 'shell' : undefined
}
