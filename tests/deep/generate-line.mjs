/** Generates command lines: everyday ones, ones with hostile parts, and random sequences of shell characters. */
import { programCommand } from './generate-command.mjs'
import { payload } from './workspace.mjs'

const plainWords =
  'a|b|x|-n|src|b.txt|f1|k:v|HEAD~1|@{1}|1|2|a=b|$?|"c $? d"|%|+x|^|a#b|,|-|!|a1|--|.|..|a:b|x=y=z|{}|{x}|a{b}c|..x'.split(
    '|',
  )
/** For lines that set `F` or try to. */
const namedWords = [
  '$F',
  '"$F"',
  'x$F',
  '"$' + '{F}"',
  '$' + '{F}/m.ts',
  '$F$F',
  "'$F'",
  '$F[0]',
  '"$F 1"',
  '$Fx',
  '$G',
]
const quotedTexts =
  'a|b.txt|src|c d|x|-n|--|-|.|..|src/m.ts|HEAD~1|a=b|k:v|@{1}|%s|1|#x|é|{}|=|,|+|^|!|]|\\n|nope|*|?|if|do|cd|E|~|{a,b}|\t|  '.split(
    '|',
  )
const hostile = [
  '$x',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is text for a shell
  '${x}',
  `$(touch ${payload})`,
  `\`touch ${payload}\``,
  '$((1+1))',
  "$'a\\tb'",
  '$"hi"',
  '~',
  '~root',
  'a=~',
  'a:~/b',
  '{1..3}',
  '{a,{b,c}}',
  '{a,"b"}',
  '{,x}',
  `<(touch ${payload})`,
  '!!',
  '\\',
  '"',
  "'",
  '(',
  ')',
  '&',
  ';;',
  '|&',
  '<<<',
  '>|',
  '\n',
  '\\\n',
  '\t',
  ' ',
  '#',
  '$',
  `\${x-$'$(touch ${payload})'}`,
  `\${x:-\`touch ${payload}\`}`,
  `x[$(touch ${payload})]=1`,
  '[[',
  '[a-',
  '{',
  '}',
  '\r',
  '2',
  '>',
  '<',
  '=',
  `;touch ${payload};`,
  `\ntouch ${payload}\n`,
  `"\${x-$'$(touch ${payload})'}"`,
  `$(cat <<'E'\n$(touch ${payload})\nE\n)`,
]
const quotings = [
  '"a\\"b"',
  '"a\\.b"',
  '"x\\\\y"',
  '"\\$x"',
  '"end$"',
  '"a$|b$)"',
  '"hey!"',
  '"\\`"',
  "'it'\\''s'",
  '{a,b}',
  'x{1,2}y{3,4}',
  'b.{txt,md}',
  '{a}',
  '"\\n"',
  '"$ "',
  '"a\\!b"',
  "'\\'",
  '"\'"',
  "'\"'",
  '""',
  "''",
  '\\"',
  '\\\\',
  '\\ ',
  '\\*',
  '"*"',
  'a\\?',
  'é"ü"',
  '"~"',
  'a~',
  "'$x'",
  `'$(touch ${payload})'`,
  `"\\$(touch ${payload})"`,
  '"a\nb"',
  '"$?"',
  'a\'b\'"c"\\d',
  '"$(cat <<\'E\'\nx $y\nE\n)"',
]
const globs =
  '*|*.txt|?|src/*|*/|*/*|[a-c]*|[!a]*|[^b]*|.*|src/*.ts|"a"*|*\'.txt\'|\\**|no*such|./*|**|*[0-9]|src/../*|*/m.ts|[.]*|?.t?t|l*/|l/*|.h*|"s"rc/*|[ab]|*"*"|src//*|*s*c*|--inc=*.txt|-[n]|a=*|[a-zA-Z]*|*\\ *|.[!.]*|*/.|*/..|c*/|./.*|/tm[p]|*.{md,txt}|node_modules/*/*|*/*/*|packages/*/index.js|[x]*|x\\*y|é*|*[!a-z]'.split(
    '|',
  )
const redirects =
  '> o1|>> o1|2>/dev/null|2>&1|>/dev/null|> src/o2|< b.txt|<nope|> nodir/x|2> e1|2>>e1|&> both|&>>both|>&2|1>&2|> "o 3"|>\'o4\'|2>&1 >o5|>o6 2>&1|< b.txt > o7|>o8 >o9|> src|1>o1|0<b.txt|>o\\ x|3>x|2>&1>z|>&o|<b.txt<a1|> b.txt|>> a1|> /tmp/x|< /tmp/x|> l/o|> ./o1|> out/o|> leak.txt|> ../x|< leak.txt|> .git/config|> s*|< out/secret.txt|> node_modules/@s/pkg/o|>/dev/stdout|{v}> x|2>&1 2>e2|> *|> {a,b}|> "$x"|>-|> -n'.split(
    '|',
  )
const comments = [
  ' # note',
  ' # it\'s "x',
  '#',
  ' \\\n -n',
  ' \\\n#c',
  ' \\\n# x\necho z',
  '\n\\\necho q',
  ' ;',
  '\n\n',
  ' & ',
  ' &&\n',
  '\t',
]
const operators = [
  ' && ',
  ' && ',
  ' || ',
  ' || ',
  '; ',
  ' | ',
  ' | ',
  '\n',
  ';',
  '&&',
  '||',
  '|',
  ' &&\n',
  ' |\n# c\n',
  ' ;\n\n',
  ' |& ',
]
const assignments = [
  'CI=1 ',
  'NODE_ENV="a b" ',
  'LANG=C ',
  'TZ=UTC ',
  'x=1 ',
  'CI= ',
  "CI=a'b'c ",
  'CI=a:b FORCE_COLOR=0 ',
  'CI=~ ',
  'CI+=1 ',
  'CI=* ',
  'LC_ALL=C ',
  'COLUMNS=20 ',
  'PATH=. ',
]
/** Possible starts of a line; some words use the names. */
const prefixes = [
  'set -e; ',
  'set -e\n',
  'F=b.txt; ',
  'F=b.txt\n',
  'F=src && ',
  'F="a1"; ',
  'F=src G=x; ',
  'F=b.txt; G=$F; ',
  'F=; ',
  'F=*; ',
  "F='c d'; ",
  'F=b.txt | ',
  '(F=src); ',
  'true || F=b.txt; ',
  'set -e; F=src; ',
  'set -eu; ',
  'PATH=src; ',
  'F=b.txt >o1; ',
]
const soupLetters = [
  ...'ab12 \n\'"\\$`*?[]{}()<>&|;#~=!-,./:%^+@\té',
  ...'\'"\\ \'" ',
  'E',
  "<<'E'",
  '\nE\n',
  '&>',
  '2>&1',
  'CI=',
  '$?',
  '\\\n',
  '<<E',
  '<<-E',
  '>o',
  ' && echo z',
  '| cat',
  ' || echo y',
  'cat ',
  '\n\tE\n',
  `touch ${payload}`,
  'b.txt',
  'src',
]

/**
 * Generates one line. `specs`: the listed options of every program. `focus`: `words` generates more lines that test word
 * parsing, `groups` more with `( )`.
 */
export function generateLine(random, specs, focus) {
  if (random.chance(0.12)) return soup(random)
  // How hostile the line is; most lines of one kind would be refused by their first word.
  const isWild = focus === 'words' || random.chance(0.4)
  const wild = isWild ? random.pick([0.03, 0.08, 0.15, 0.3]) : 0
  const prefix = random.chance(0.08) ? random.pick(prefixes) : ''
  const maker = new LineMaker({ random, specs, wild, focus, hasName: /[FG]=/.test(prefix) })
  const text = prefix + maker.list(random.pick([1, 1, 1, 2, 2, 3, 4]), 0)
  if (!random.chance(wild)) return text
  const at = random.below(text.length)
  return text.slice(0, at) + random.pick(hostile) + text.slice(at + (random.chance(0.5) ? 1 : 0))
}

function soup(random) {
  const start = random.pick(["printf '<%s>' ", 'echo ', '', "printf '<%s>' a", 'cat ', 'ls '])
  return start + random.many(1 + random.below(12), () => random.pick(soupLetters)).join('')
}

class LineMaker {
  #random
  #specs
  #wild
  #focus
  #hasName
  /** Here-documents whose texts follow the next line break. */
  #documents = []

  constructor({ random, specs, wild, focus, hasName }) {
    this.#random = random
    this.#specs = specs
    this.#wild = wild
    this.#focus = focus
    this.#hasName = hasName
  }

  list(count, depth) {
    const random = this.#random
    let text = ''
    for (let at = 0; at < count; at++) {
      text += this.#stage(depth)
      if (at === count - 1) break
      const operator = random.pick(operators)
      text += operator.includes('\n') ? operator.replace('\n', () => `\n${this.#flush()}`) : operator
    }
    if (depth > 0) return text
    if (random.chance(0.1)) text += random.pick(comments)
    return this.#documents.length > 0 ? `${text}\n${this.#flush()}` : text
  }

  #flush() {
    const text = this.#documents.join('')
    this.#documents = []
    return text
  }

  #stage(depth) {
    const random = this.#random
    if (depth < 2 && random.chance(this.#focus === 'groups' ? 0.4 : 0.05)) {
      const inner = this.list(1 + random.below(3), depth + 1)
      return `(${random.pick(['', ' '])}${inner})${random.chance(0.3) ? ` ${random.pick(redirects)}` : ''}`
    }
    let text = random.chance(0.06) ? random.pick(assignments) : ''
    text += this.#command()
    if (random.chance(0.22)) text += ` ${random.pick(redirects)}`
    if (random.chance(0.04)) text = `${random.pick(redirects)} ${text}`
    if (random.chance(0.07)) text += this.#document()
    return text
  }

  #document() {
    const random = this.#random
    const dash = random.chance(0.3) ? '-' : ''
    const end = random.pick(["'E'", '"E"', '\\E', 'E', "'E'", 'E'])
    const texts = [
      'a',
      'line $x',
      '\tE',
      "it's",
      `$(touch ${payload})`,
      'b\\',
      ' E',
      'a "q"',
      '\ttab',
      '\t\tE2',
      `\`touch ${payload}\``,
      'E2',
      '',
      '\\$x',
      'plain text',
      'x',
    ]
    const body = random.many(random.below(4), () => random.pick(texts))
    this.#documents.push([...body, random.chance(0.1) ? '\tE' : 'E'].map((line) => `${line}\n`).join(''))
    return ` <<${dash}${end}`
  }

  #command() {
    const random = this.#random
    const choice = random.next() * (this.#focus === 'words' || this.#focus === 'groups' ? 0.4 : 1)
    if (choice < 0.24) return this.#printing()
    if (choice < 0.36) return this.#simple()
    if (choice < 0.4) return this.#writing()
    return programCommand(random, this.#specs, () => this.#word())
  }

  /** Prints every word, so that a parsing difference shows in the output. */
  #printing() {
    const random = this.#random
    const words = () => random.many(random.below(4), () => this.#word()).join(random.chance(0.1) ? '  ' : ' ')
    const format = random.pick(["'<%s>'", "'[%s]\\n'", '"<%s>\\n"', '%s,'])
    return random.chance(0.5) ? `printf ${format} ${words()}` : `echo ${words()}`
  }

  #simple() {
    const random = this.#random
    const folder = random.pick([
      'src',
      'nope',
      '..',
      './src',
      "'c d'",
      '.',
      'a1',
      'l',
      '/tmp',
      'src/..',
      'src/deep',
      'l/..',
      'out',
      'node_modules/@s/pkg',
      'node_modules/@s/pkg/..',
      'bare',
      'packages/pkg',
      'dash',
      '-',
      '',
    ])
    return random.pick([
      'true',
      'false',
      ':',
      `cd ${folder}`,
      `cd ${folder}`,
      'pwd',
      'cat',
      'sort',
      'wc -l',
      'head -2',
      'tr a-z A-Z',
      'uniq -c',
      `test -f ${this.#word()}`,
      `[ ${this.#word()} = ${this.#word()} ]`,
      `test ${random.pick(['-n', '-z', '!'])} ${this.#word()}`,
      `[ ${random.below(3)} ${random.pick(['-eq', '-lt', '-ge'])} ${random.below(3)} ]`,
      `exit ${random.pick(['', '0', '3', '255'])}`,
      'echo $?',
      'printf "%s\\n" "$?"',
      'nosuchprogram',
      `[[ ${random.pick(['-f', '-d', '! -e', '-n', '-z', '-s', '-x', '-v', '-h'])} ${this.#word()} ]]`,
      `[[ ${this.#word()} ]]`,
      `[[ ${this.#word()} == ${this.#word()} ]]`,
      `command -v ${random.pick(['ls', 'nope', 'cd', 'git', 'if'])}`,
      `export ${random.pick(['CI=1', 'TZ=UTC', 'x=1', 'CI=~', "CI='a b'", 'PATH=.'])}`,
      `echo -${random.pick(['e', 'n', 'ne', 'E', 'nE'])} ${this.#word()}`,
      `timeout 5 ${random.pick(['cat b.txt', 'ls', 'false', 'nope', 'sort -o x b.txt'])}`,
      `nice ${random.pick(['cat b.txt', '-n 3 ls', 'false'])}`,
      `seq ${random.pick(['3', '1 2 9', '2000'])}`,
      './run.sh',
      '/usr/bin/cat b.txt',
      './src/m.ts',
      `sleep ${random.pick(['0', '0.01'])}`,
    ])
  }

  /** Allowed only if the user's list names the program. */
  #writing() {
    const random = this.#random
    const name = random.pick([
      'd1',
      'src/n',
      "'q r'",
      't1',
      'src/t2',
      '.git/hooks/x',
      'out/x',
      'leak.txt',
      '../x',
      '/tmp/t',
      'b.txt',
      '*.txt',
    ])
    return random.pick([
      `mkdir -p ${name}`,
      `mkdir ${name}`,
      `touch ${name}`,
      `cp b.txt ${name}`,
      `cp ${name} copy`,
      `tee ${name}`,
      'tee out1 out2',
      `tee -a ${name}`,
      `rm -f ${name}`,
      `mv a1 ${name}`,
    ])
  }

  #word() {
    const random = this.#random
    return random.many(1 + (random.chance(0.3) ? random.below(3) : 0), () => this.#part()).join('')
  }

  #part() {
    const random = this.#random
    const choice = random.next()
    if (this.#hasName && random.chance(0.3)) return random.pick(namedWords)
    if (choice < this.#wild) {
      const text = random.pick(hostile)
      return random.chance(0.4) ? `"${text}"` : random.chance(0.2) ? `'${text}'` : text
    }
    if (choice < 0.5) return random.pick(plainWords)
    if (choice < 0.6)
      return `'${random.pick(quotedTexts)}${random.chance(0.3) ? random.pick(['"', '$x', '`', '\\', '\n', ';', '|']) : ''}'`
    if (choice < 0.72)
      return `"${random.pick(quotedTexts)}${random.chance(0.2) ? random.pick(["'", ';', '\n', '|', '#', '(']) : ''}"`
    if (choice < 0.78) return `\\${random.pick([...' "\'$`\\;|&<>()*?[]#~{}!=ax'])}`
    return random.chance(0.65) ? random.pick(quotings) : random.pick(globs)
  }
}
