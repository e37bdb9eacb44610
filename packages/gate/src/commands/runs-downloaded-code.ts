import type { FoundCommand } from './command-line.ts'
import { programOf } from './program-name.ts'
import { startedBy } from './started-by.ts'

interface Interpreter {
  readonly name: RegExp
  /** Options that contain or name the program, or only print something. Then the input is data. */
  readonly program: RegExp
  /** Options whose value is the next word. */
  readonly value: RegExp
}

const shell: Interpreter = {
  name: /^(?:(?:r?ba|da|a|k|z|mk|fi|c|tc)?sh|source|\.)$/,
  program: /^-(?:\w*c|-command)/,
  value: /^(?:[-+]\w*[oO]|--(?:rcfile|init-file))$/,
}

const interpreters: readonly Interpreter[] = [
  shell,
  {
    name: /^python[\d.]*$/,
    program: /^(?:-[^WX-]*[cmhV?]|--(?:help|version))/,
    value: /^(?:-[^WX-]*[WX]|--check-hash-based-pycs)$/,
  },
  {
    name: /^(?:node|nodejs)$/,
    program: /^(?:-[cehpv]|--(?:check|eval|help|print|run|test|version))/,
    value: /^(?:-[Cr]|--(?:conditions|env-file|experimental-loader|import|loader|require|title))$/,
  },
  {
    name: /^(?:deno|bun)$/,
    program: /^(?:-[ehpVv]|--(?:eval|help|print|version))/,
    value: /^(?:-[cLr]|--(?:cert|config|cwd|env-file|import-map|location|lock|log-level|preload|seed))$/,
  },
  { name: /^perl[\d.]*$/, program: /^-[^CDFIMVdimx-]*[EVehv]/, value: /^-[^CDFIMVdimx-]*I$/ },
  {
    name: /^ruby[\d.]*$/,
    program: /^(?:-[^CEFIKTWirx-]*[ehv]|--(?:copyright|help|version))/,
    value: /^-[^CEFIKTWirx-]*[CEIr]$/,
  },
  {
    name: /^php[\d.]*$/,
    program: /^(?:-[BEFRfhilmrvw]|--(?:file|help|info|modules|process|run|syntax|version))/,
    value: /^(?:-[cdz]|--(?:define|php-ini|zend-extension))$/,
  },
  { name: /^lua[\d.]*$/, program: /^-[ev]/, value: /^-l$/ },
  { name: /^(?:rscript|tclsh)$/, program: /^(?:-e|--(?:help|version))/, value: /^$/ },
]

/** True for `curl … | sh`, which runs a download that nobody has seen. */
export function runsDownloadedCode(commands: readonly FoundCommand[]): boolean {
  return commands.some(({ texts, input }) => input?.isDownloaded === true && runsInput(texts))
}

/** The same for `sh <(curl …)` and `eval "$(curl …)"`, from the visible words at the start of a line. */
export function appearsToRunDownloadedCode(source: string): boolean {
  return /(?:^|[\s;|&(])(?:\/[\w./-]{1,99}\/)?(?:(?:ba|da|a|k|z|fi)?sh|eval|source|\.|python[\d.]{0,9}|node|perl|ruby|php)\s[^;|&\n]{0,200}(?:<\(|\$\(|`)\s{0,9}(?:curl|wget)\b/.test(
    source.slice(0, 4_096),
  )
}

/** True if the program reads its code from standard input: it has no file or text to run among its arguments. */
function runsInput(words: readonly string[]): boolean {
  const { started, isBelowXargs } = startedBy(words)
  const [name = '', ...args] = started
  const program = programOf(name)
  const interpreter = interpreters.find((each) => each.name.test(program))
  if (interpreter === undefined) return false
  // `sh -c` and `sh -c {}` run the text that they get from xargs.
  if (isBelowXargs) return interpreter.program.test(args.filter((word) => word !== '{}').at(-1) ?? '')
  let at = /^(?:deno|bun)$/.test(program) && args[0] === 'run' ? 1 : 0
  for (let word = args[at]; word !== undefined && /^[-+]./.test(word) && word !== '--'; word = args[at]) {
    if (interpreter.program.test(word)) return false
    if (interpreter === shell && /^-\w*s/.test(word)) return true
    at += interpreter.value.test(word) ? 2 : 1
  }
  const operand = args[at]
  if (operand === undefined || /^\/(?:dev|proc\/self)\/(?:stdin|fd\/0)$/.test(operand)) return true
  // The words after `-` are arguments, but a shell takes the next one as a file. PHP accepts `--` too.
  if (interpreter === shell) return /^--?$/.test(operand) && args[at + 1] === undefined
  return operand === '-' || (program === 'php' && operand === '--')
}
