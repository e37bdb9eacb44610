/** Generates commands of the listed programs, from the options that the gate lists and from some that it must not. */

/** Options that each list deliberately omits, which would be a hole if they were allowed. */
const unlisted =
  '-o zz|-ozz|--output=zz|--output zz|-R|--dereference-recursive|--files0-from=names0|--files0-from names0|--pre=./run.sh|-i|--in-place|-i.bak|-f|--follow|-exec touch pwned ;|-delete|-fprint zz|-L|--compress-program=./run.sh|-T .|--ext-diff|--textconv|--open-files-in-pager=./run.sh|-O|--exec=./run.sh|-x ./run.sh|-X ./run.sh|-c core.pager=./run.sh|-C out|--no-index|-m sum.md5|--check sum.md5|-c sum.md5|--magic-file=@args|-f @args|--from-file=leak.txt|--help=x|--debug=x|--set=all|-s 1|@args|--rawfile x leak.txt|--slurpfile x leak.txt|-L out|--file=run.sh|--include=leak.txt'.split(
    '|',
  )
/** They print times or sizes of the machine, or wait. */
const skipped = new Set(
  ['ps free uptime df sleep npm npx pip pip3 docker hostname getconf whereis'].flatMap((names) =>
    names.split(' '),
  ),
)

const paths =
  "b.txt|a1|n.md|src/m.ts|src|.|nope|data.csv|data.json|tabs.txt|nums.txt|pat|'c d/e f.txt'|é|E|l|l/m.ts|node_modules/@s/pkg/index.js|src/deep/x.json|./b.txt|src/../a1|-|b.txt|a1|packages|*.txt|src/*|k=v|1|.hid".split(
    '|',
  )
const badPaths =
  'leak.txt|out|out/secret.txt|../outside/secret.txt|/etc/passwd|node_modules/ext/index.js|node_modules/@s/pkg/../../../outside/secret.txt|node_modules/@s/up/secret.txt|src/up/outside/secret.txt|chain/pkg/index.js|-n|./-n|*|dash/*|-[o]|@args|bare|s*|~/x|/proc/self/environ|/dev/stdin|src/up|l/../../outside/secret.txt'.split(
    '|',
  )
const texts =
  "a|b|1|,|'%s'|'a b'|:|x|id|'^a'|*.txt|'*.ts'|always|never|auto|full|name|none|size|2|main|HEAD".split('|')
const revisions =
  'HEAD|HEAD~1|main|v1|HEAD:b.txt|HEAD~1..HEAD|other|b.txt|src|-- b.txt|-- src|nope|HEAD -- src|v1:src/m.ts|out|leak.txt'.split(
    '|',
  )
const scripts = {
  sed: "1p|s/a/b/|'s/a/b/g'|'1,2p'|'/a/d'|'$p'|'s,a,x,gp'|'1!d'|'/b/,$p'|'y/ab/xy/'|'s/a/b/w zz'|'e'|'w zz'|'r leak.txt'|'1e touch pwned'|'s/.*/touch pwned/e'|'2q'|'{p;p}'|'s/[/]/x/'|'n;d'|'s/a\\nb/x/'|'/a/I p'|'$!N;P;D'|'G'".split(
    '|',
  ),
  awk: `'{print $1}'|'NR==1'|'{print NR, $0}'|'{s+=$1} END {print s}'|'/a/'|'{system("touch pwned")}'|'{print > "zz"}'|'{print | "sh"}'|'BEGIN{getline < "leak.txt"; print}'|'length > 1'|'BEGIN {printf "%d\\n", 3}'|'{print toupper($0)}'|'BEGIN{while(("cat leak.txt")|getline) print}'|'!x[$0]++'`.split(
    /\|(?=')/,
  ),
  jq: `.|.name|'.list[]'|'.a'|'.[]'|'keys'|'.list|length'|'.b.c'|'env'|'$ENV.HOME'|'import "x" as x; .'|'input'|'.list|map(.+1)'|'@base64'|'to_entries'`.split(
    /\|(?=['.])/,
  ),
}
const finds =
  "-name '*.ts'|-type f|-type d|-maxdepth 1|-maxdepth 2|-newer a1|-size +1c|-empty|-print|-print0|-not -name x|! -type d|-path './src/*'|-o|-iname '*.TXT'|-prune|-exec cat {} ;|-exec touch pwned \\;|-delete|-fprint zz|-ls|-printf '%p\\n'|-perm 644|-name *.ts|-samefile a1|-quit|\\( -name a1 \\)|-L|-follow|-regex '.*ts'|-mindepth 1|-H|-P|-files0-from names0|-execdir touch pwned ;|-okdir x ;|-fls zz".split(
    '|',
  )

/** A command of one listed program; `word` generates a word of any kind. */
export function programCommand(random, specs, word) {
  const name = random.pick(specs.names)
  if (skipped.has(name)) return programCommand(random, specs, word)
  if (name === 'find') return findCommand(random)
  if (name === 'git') return gitCommand(random, specs, word)
  return [name, ...optionsAndOperands(random, specs.programs.get(name), word)].join(' ')
}

function findCommand(random) {
  const start = random.pick([
    '.',
    'src',
    '',
    '. src',
    'out',
    '-L .',
    '-H l',
    'l',
    'nope',
    '*',
    'node_modules',
  ])
  return `find ${start} ${random.many(random.below(4), () => random.pick(finds)).join(' ')}`
}

function gitCommand(random, specs, word) {
  const name = random.pick(specs.gitNames)
  const front = random.chance(0.9)
    ? ''
    : random.pick([
        '--no-pager ',
        '-C src ',
        '-C out ',
        '-C bare ',
        '-c alias.x=!sh ',
        '-P ',
        '--git-dir=bare ',
      ])
  return `git ${front}${[name, ...optionsAndOperands(random, specs.git.get(name), word)].join(' ')}`
}

function optionsAndOperands(random, spec, word) {
  const found = []
  const options = [...spec.options]
  for (let count = random.pick([0, 0, 1, 1, 2, 3]); count > 0 && options.length > 0; count--)
    found.push(optionText(random, random.pick(options)))
  if (spec.takesNumber && random.chance(0.1)) found.push(`-${1 + random.below(9)}`)
  if (random.chance(0.08)) found.push(random.pick(unlisted))
  if (random.chance(0.04)) found.push(word())
  if (random.chance(0.05)) found.push('--')
  const kinds = [...spec.operands]
  if (spec.isOpen && random.chance(0.3)) kinds.push(kinds.at(-1))
  if (random.chance(0.04)) kinds.push('path')
  // Without an operand, it reads from the pipe.
  if (kinds.at(-1) === 'path' && random.chance(0.2)) kinds.pop()
  const operands = kinds.map((kind) => argument(random, kind))
  const all = [...found, ...operands]
  // Options may follow operands.
  if (random.chance(0.1) && all.length > 1) all.push(all.shift())
  return all
}

function optionText(random, [name, { kind, values, isOptional }]) {
  const isLong = name.startsWith('--')
  const written = isLong && random.chance(0.04) ? name.slice(0, 3 + random.below(name.length - 2)) : name
  if (values === 0)
    return !isLong && random.chance(0.1) ? `${written}${random.pick(['n', 'o', 'z', 'R'])}` : written
  if (isOptional && random.chance(0.5)) return written
  if (values === 2) return `${written} x ${argument(random, kind)}`
  const value = argument(random, kind)
  if (isLong) return isOptional || random.chance(0.6) ? `${written}=${value}` : `${written} ${value}`
  return isOptional || random.chance(0.5) ? `${written}${value}` : `${written} ${value}`
}

function argument(random, kind) {
  if (kind === 'num')
    return random.pick(['1', '2', '3', '10', '0', '-1', '1k', 'x'].slice(0, random.chance(0.9) ? 4 : 8))
  if (kind === 'path') return random.chance(0.88) ? random.pick(paths) : random.pick(badPaths)
  if (kind === 'rev') return random.pick(revisions)
  if (kind === 'format')
    return random.pick(['%h', "'%s'", 'oneline', '%GK', 'short', '%H', "'%(refname)'", "'%an'"])
  if (kind === 'plus') return random.pick(['+%Y', '+x', "'+%d %m'"])
  if (kind === 'word') return random.pick(['root', 'x', 'ls', 'origin', 'a.b'])
  if (Object.hasOwn(scripts, kind)) return random.pick(scripts[kind])
  return random.pick(texts)
}
