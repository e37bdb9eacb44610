import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { readCommandLine } from '@cadre/gate'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Language, type Node, Parser } from 'web-tree-sitter'

const require = createRequire(import.meta.url)
const table = readFileSync(path.join(import.meta.dirname, 'bypass', 'commands.yaml'), 'utf8')
const lines = [...table.matchAll(/line: ("(?:[^"\\]|\\.)*")/g)].map(
  (found) => JSON.parse(found[1] as string) as string,
)

let parser: Parser

beforeAll(async () => {
  await Parser.init()
  parser = new Parser()
  parser.setLanguage(await Language.load(require.resolve('tree-sitter-bash/tree-sitter-bash.wasm')))
})

/** Names of programs as another parser sees them; nothing where it cannot read the line. */
function namesSeen(line: string): readonly string[] {
  // It reads these in a way of its own: a group behind `coproc`, brackets as tests, escapes as text, a line that goes on.
  if (/\bcoproc\b|\\\n|\[|\$'[^']*\\/.test(line)) return []
  const tree = parser.parse(line)
  const names: string[] = []
  if (tree !== null && !tree.rootNode.hasError) visit(tree.rootNode)
  tree?.delete()
  return names

  function visit(node: Node): void {
    // A word of the language, which it takes for a program.
    if (node.type === 'command_name' && node.text !== 'time') names.push(unquoted(node.text))
    for (const child of node.namedChildren) if (child !== null) visit(child)
  }
}

/** It leaves quotes as they are written. */
function unquoted(text: string): string {
  return text
    .replaceAll('\\\n', '')
    .replace(/\$?'([^']*)'|\$?"([^"]*)"|\\(.)/gs, (_, single, double, escaped) => single ?? double ?? escaped)
}

/** What the other one has seen and this one has neither found nor doubted. */
function missed(line: string): readonly string[] {
  const { commands, doubts, refused } = readCommandLine(line)
  if (doubts.length > 0 || refused !== undefined) return []
  const found = new Set(commands.map(({ words }) => words[0]))
  return namesSeen(line).filter((name) => !found.has(name))
}

const name = fc.constantFrom('ls', 'rm', 'cat', 'evil', "'rm'", '"rm"', 'r\\m', 'git', '$X', 'bash', 'echo')
const word = fc.constantFrom(
  '-la',
  'x',
  '"a b"',
  "'c; d'",
  '$X',
  '"$X"',
  '$(rm x)',
  '`rm y`',
  '*.ts',
  '2>&1',
  '>out',
  '<in',
  '>/dev/null',
  '{a,b}',
  '~',
  'a=b',
  '\\;',
  '#x',
  '&',
  '$' + '{X:-$(id)}',
  '<(ls)',
  '$((1+2))',
  '-c',
  "'rm x'",
)
const joint = fc.constantFrom('; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ', ';', '\n\n')
const simple = fc
  .tuple(fc.constantFrom('', '', 'A=b ', '! ', 'time '), name, fc.array(word, { maxLength: 4 }))
  .map(([before, first, rest]) => before + [first, ...rest].join(' '))
const { script } = fc.letrec<{ script: string; part: string }>((tie) => ({
  script: fc
    .array(fc.tuple(tie('part'), joint), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.map(([part, end], at) => part + (at < parts.length - 1 ? end : '')).join('')),
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    simple,
    tie('script').map((inner) => `(${inner})`),
    tie('script').map((inner) => `{ ${inner}; }`),
    tie('script').map((inner) => `if ${inner}; then ls; fi`),
    tie('script').map((inner) => `for f in a b; do ${inner}; done`),
    tie('script').map((inner) => `while ls; do ${inner}; done`),
    tie('script').map((inner) => `case x in a) ${inner};; esac`),
    tie('script').map((inner) => `echo "$(${inner})"`),
    tie('script').map((inner) => `cat <<EOF\n$(${inner})\nEOF`),
    tie('script').map((inner) => `f() { ${inner}; }`),
  ),
}))

describe('what another parser sees', () => {
  it('it sees something at all', () => {
    expect(namesSeen('ls && "rm" x; cat $(id)')).toEqual(['ls', 'rm', 'cat', 'id'])
    expect(missed('ls && "rm" x; cat $(id)')).toEqual([])
  })

  it('is found here too, or doubted: every line of the table', () => {
    expect(lines.length).toBeGreaterThan(700)
    expect(lines.flatMap((line) => missed(line).map((what) => [line, what]))).toEqual([])
  })

  it('is found here too, or doubted: lines made by chance', () => {
    fc.assert(
      fc.property(script, (line) => {
        expect(missed(line), line).toEqual([])
      }),
      { seed: 23, numRuns: 3_000 },
    )
  })

  it('is found here too, or doubted: lines of the table with a few letters changed', () => {
    const letters = fc.constantFrom(...'\'"\\`$(){}[];&|<>\n #!*~=a-')
    const change = fc.record({ at: fc.nat(200), letter: fc.option(letters), more: fc.nat(2) })
    fc.assert(
      fc.property(
        fc.constantFrom(...lines),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (line, changes) => {
          const changed = changes.reduce((text, { at, letter, more }) => {
            const place = at % (text.length + 1)
            return text.slice(0, place) + (letter ?? '') + text.slice(place + (letter === null ? 1 : more))
          }, line)
          expect(missed(changed), changed).toEqual([])
        },
      ),
      { seed: 29, numRuns: 4_000 },
    )
  })
})
