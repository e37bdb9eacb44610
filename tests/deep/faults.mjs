/**
 * Known faults, to check that the oracle detects them: in the parser, in the lists of options, in the path checks, and in
 * the runner. `from` is text of the built file; `focus` limits the generated lines, because a rare fault would need too
 * many.
 */
import fs from 'node:fs'
import path from 'node:path'
import { fromRoot } from '../../scripts/lib/run.mjs'

const words = 'dist/commands/line/read-words.js'
const line = 'dist/commands/line/read-line.js'
const cursor = 'dist/commands/line/cursor.js'
const readers = 'dist/commands/programs/readers.js'
const runner = 'runner/run-plan.mjs'

export const faults = {
  'a tilde is an ordinary letter': {
    focus: 'words',
    file: words,
    from: 'if (this.#opensTilde)',
    to: 'if (false)',
  },
  'a backslash in double quotes stays': {
    focus: 'words',
    file: words,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the built file
    from: "this.#text('\"\\\\$`'.includes(next) ? next : `\\\\${next}`)",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text of the built file
    to: 'this.#text(`\\\\${next}`)',
  },
  'a dollar sign in double quotes is a letter': {
    focus: 'words',
    file: words,
    from: "(next === '\"' || next === ' '",
    to: "(next !== '?' || next === ' '",
  },
  'backticks in double quotes are letters': {
    focus: 'words',
    file: words,
    from: "if (letter === '`')",
    to: "if (letter === '`' && ++at.position) { this.#text('`'); continue } if (false)",
  },
  'braces are not expanded': {
    focus: 'words',
    file: words,
    from: "this.#part({ kind: 'choice', texts: choice[1].split(',') })",
    to: 'this.#text(choice[0])',
  },
  '<<- keeps its tabs': {
    focus: 'words',
    file: cursor,
    from: 'stripsTabs ? written.replace',
    to: 'false ? written.replace',
  },
  'here-documents are never expanded': {
    focus: 'words',
    file: cursor,
    from: 'if (!isQuoted &&',
    to: 'if (false &&',
  },
  '|| is read as &&': {
    focus: 'words',
    file: line,
    from: 'return found;',
    to: "return found === '||' ? '&&' : found;",
  },
  'an ampersand is a semicolon': {
    focus: 'words',
    file: line,
    from: 'if (found === undefined)',
    to: "if (found === undefined && letter === '&' && ++at.position) return ';'; if (found === undefined)",
  },
  '&> redirects the output alone': {
    focus: ['cat', 'diff', 'ls'],
    file: line,
    from: 'path: this.#target() }, errorsToOutput]',
    to: 'path: this.#target() }]',
  },
  'sort -o is listed': {
    focus: ['sort'],
    file: readers,
    from: 'sort | -b',
    to: 'sort | -o=text --output=text -b',
  },
  'grep -R is listed': {
    focus: ['grep'],
    file: readers,
    from: '| -EFGPivyV',
    to: '| -R --dereference-recursive -EFGPivyV',
  },
  'uniq takes a second file': {
    focus: ['uniq'],
    file: readers,
    from: '--check-chars=num --help --version | path',
    to: '--check-chars=num --help --version | path*',
  },
  'sed scripts are not read': {
    focus: ['sed'],
    file: 'dist/commands/programs/safe-sed.js',
    from: 'let at = 0',
    to: 'return true; let at = 0',
  },
  'find -fprint is listed': {
    focus: ['find'],
    file: 'dist/commands/programs/read-find-arguments.js',
    from: '-name -iname',
    to: '-fprint -name -iname',
  },
  'links are not followed': {
    focus: ['cat'],
    file: 'dist/paths/path-resolver.js',
    from: 'if (real !== root && !real.startsWith(root === path.sep ? root : root + path.sep))',
    to: 'if (false)',
  },
  'the runner keeps patterns as they are': {
    focus: 'words',
    file: runner,
    from: 'return this.matches(word)',
    to: 'return [word.text]',
  },
  'the runner lets a cd in a group leave it': {
    focus: 'groups',
    file: runner,
    from: 'return inner.list(list, fds)',
    to: 'return inner.list(list, fds).finally(() => { this.cwd = inner.cwd })',
  },
  'the runner appends where it should write': {
    focus: 'words',
    file: runner,
    from: "write: 'w'",
    to: "write: 'a'",
  },
  'git may start programs of a repository': {
    focus: ['git'],
    file: 'dist/sandbox/plan-run.js',
    from: "['core.fsmonitor', 'false']",
    to: "['core.x', 'false']",
  },
}

/** A copy of the built gate with one fault. Inside node_modules, so that it finds the other packages. */
export function copyWithFault(name) {
  const { file, from, to, focus } = faults[name]
  const gate = fromRoot('packages', 'gate')
  const copies = fromRoot('node_modules', '.cadre-oracle')
  fs.mkdirSync(copies, { recursive: true })
  const copy = fs.mkdtempSync(path.join(copies, 'gate-'))
  for (const folder of ['dist', 'runner'])
    fs.cpSync(path.join(gate, folder), path.join(copy, folder), { recursive: true })
  fs.copyFileSync(path.join(gate, 'package.json'), path.join(copy, 'package.json'))
  const source = fs.readFileSync(path.join(copy, file), 'utf8')
  if (!source.includes(from))
    throw new Error(`${file} has changed: the fault "${name}" has nothing to replace`)
  fs.writeFileSync(
    path.join(copy, file),
    source.replace(from, () => to),
  )
  return { gate: copy, focus, remove: () => fs.rmSync(copy, { recursive: true, force: true }) }
}
