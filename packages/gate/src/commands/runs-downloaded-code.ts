import { type List, type Stage, stepsIn } from './line/line.ts'
import { programOf } from './program-name.ts'
import { networkPrograms } from './programs/known-programs.ts'

const shell = /^(?:r?ba|da|a|k|z|mk|fi|c|tc)?sh$/
const interpreter = /^(?:python[\d.]*|node|nodejs|deno|bun|perl|ruby|php|lua|rscript|tclsh)$/
const wrapper = /^(?:sudo|doas|env|nice|nohup|time|timeout|stdbuf|setsid)$/
const maxLength = 4_096

/** True for `curl … | sh`, which runs a download that nobody has seen. */
export function runsDownloadedCode(plan: List): boolean {
  return stepsIn(plan).some(({ stages }) => {
    const first = stages.findIndex((stage) => networkPrograms.has(programOf(wordsOf(stage)[0] ?? '')))
    return first >= 0 && stages.slice(first + 1).some((stage) => readsProgram(wordsOf(stage)))
  })
}

/** The same check for a line that only a shell can parse, from the visible words at its start. */
export function appearsToRunDownloadedCode(source: string): boolean {
  const text = source.slice(0, maxLength)
  return (
    /\b(?:curl|wget)\b[^;&\n]{0,300}\|\s{0,9}(?:sudo\s{1,9})?(?:(?:ba|da|a|k|z)?sh(?![\w./-])|(?:source|\.)\s)/.test(
      text,
    ) ||
    // `| X=1 python3 -`
    /\b(?:curl|wget)\b[^;&\n]{0,300}\|\s{0,9}(?:sudo\s{1,9})?(?:\w{1,99}=[^\s;|&]{0,99}\s{1,9}){0,5}(?:python[\d.]{0,9}|node|perl|ruby|php)(?:\s{1,9}--?(?!\S)|\s{0,9}(?:$|[;|&\n)]))/.test(
      text,
    ) ||
    /(?:^|[\s;|&(])(?:\/[\w./-]{1,99}\/)?(?:(?:ba|da|a|k|z|fi)?sh|eval|source|\.|python[\d.]{0,9}|node|perl|ruby|php)\s[^;|&\n]{0,200}(?:<\(|\$\(|`)\s{0,9}(?:curl|wget)\b/.test(
      text,
    )
  )
}

function wordsOf(stage: Stage): readonly string[] {
  return stage.kind === 'group' ? [] : stage.words.map(({ text }) => text)
}

/** True if the program reads its code from standard input: it has no file or text to run among its arguments. */
function readsProgram([name = '', ...args]: readonly string[]): boolean {
  const program = programOf(name)
  if (wrapper.test(program)) {
    const at = args.findIndex((word) => shell.test(programOf(word)) || interpreter.test(programOf(word)))
    return at >= 0 && readsProgram(args.slice(at))
  }
  if (shell.test(program)) {
    // `-o pipefail`
    const given = args.filter((_, at) => !/^[-+]\w*o$/i.test(args[at - 1] ?? ''))
    return given.includes('-s') || !given.some((word) => !word.startsWith('-') || /^-\w*c/.test(word))
  }
  if (!interpreter.test(program)) return false
  const given = /^(?:deno|bun)$/.test(program) && args[0] === 'run' ? args.slice(1) : args
  const first = given.findIndex((word) => !/^-./.test(word) || word === '--')
  const options = first < 0 ? given : given.slice(0, first)
  if (options.some((word) => /^-\w*[ceEfmpr]|^--(?:eval|print|version|help)/.test(word))) return false
  // The words after `-` are arguments. PHP accepts `--` too.
  return first < 0 || given[first] === '-' || (program === 'php' && given[first] === '--')
}
