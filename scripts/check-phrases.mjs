// Finds phrases that read as translated in docs, in texts and comments of the code, and in the help of every command.
// Needs the compiled packages for the help. Prints path:line, the phrase and a replacement.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { findPhrases } from './lib/phrases.mjs'
import { fromRoot, say } from './lib/run.mjs'

const packages = readdirSync(fromRoot('packages'))

// For example `problem.mended`: programs read it, so it stays.
const isEventName = /^[a-z]+(?:\.[a-z]+)+$/

const findings = [
  ...[
    ...readdirSync(fromRoot()).filter((name) => name.endsWith('.md')),
    ...filesIn('docs', /\.md$/),
    ...filesIn('examples', /\.(?:md|ya?ml)$/),
    ...filesIn('packages/agents/teams', /\.(?:md|ya?ml)$/),
    ...filesIn('packages', /^[a-z-]+\/(?:README\.md|package\.json)$/),
  ].flatMap(findInText),
  ...packages
    .flatMap((name) => filesIn(`packages/${name}/src`, /(?<!\.test|\.spec-helpers|\.d)\.tsx?$/))
    .flatMap(findInCode),
  ...(await findInHelp()),
]
for (const { at, phrase, instead } of findings) say(`${at}: "${phrase}". Write: ${instead}.`)
process.exitCode = findings.length === 0 ? 0 : 1

function filesIn(folder, pattern) {
  return readdirSync(fromRoot(folder), { recursive: true })
    .filter((name) => pattern.test(name))
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .sort()
}

function findInText(file) {
  return placed(file, readFileSync(fromRoot(file), 'utf8'))
}

/** Texts and comments. Names and event types stay as they are. */
function findInCode(file) {
  const source = readFileSync(fromRoot(file), 'utf8')
  const ast = parseAst(source, { lang: file.endsWith('x') ? 'tsx' : 'ts' }, file)
  return [...textsOf(ast), ...commentsOf(source)].flatMap(({ start, end }) =>
    // An escape would be part of the following word.
    placed(file, source.slice(start, end).replaceAll('\\n', '  '), source.slice(0, start).split('\n').length),
  )
}

/** Comments on their own lines; a phrase may span lines only in a block comment. */
function commentsOf(source) {
  return [...source.matchAll(/^[ \t]*(?:\/\*[\s\S]*?\*\/|\/\/.*)/gm)].map(({ 0: text, index }) => ({
    start: index,
    end: index + text.length,
  }))
}

function textsOf(node) {
  if (node === null || typeof node !== 'object') return []
  if (Array.isArray(node)) return node.flatMap(textsOf)
  if (node.type?.startsWith('Import')) return []
  if (typeof node.value === 'string') return isEventName.test(node.value) ? [] : [node]
  return node.type === 'TemplateElement' ? [node] : Object.values(node).flatMap(textsOf)
}

/** The whole help of a command, because a phrase can span lines. */
async function findInHelp() {
  const compiled = (name) => import(pathToFileURL(fromRoot('packages/cli/dist', name)).href)
  const [{ buildApp }, { runCadre }] = await Promise.all([
    compiled('app/build-app.js'),
    compiled('run-cadre.js'),
  ])
  const found = []
  for (const words of [[], ...commandsBelow(buildApp().root)]) {
    let help = ''
    const stdout = { write: (text) => (help += text) }
    await runCadre([...words, '--help'], { stdout, stderr: stdout, env: {}, cwd: fromRoot() })
    found.push(...placed(`cadre ${[...words, '--help'].join(' ')}`, help))
  }
  return found
}

function commandsBelow(routes) {
  return (routes.getAllEntries?.() ?? []).flatMap(({ name, target }) => {
    const word = name['convert-camel-to-kebab'] ?? name.original ?? name
    return [[word], ...commandsBelow(target).map((words) => [word, ...words])]
  })
}

function placed(where, text, from = 1) {
  return findPhrases(text).map(({ line, phrase, instead }) => ({
    at: `${where}:${line + from - 1}`,
    phrase: phrase.replaceAll(/\s+/g, ' '),
    instead,
  }))
}
