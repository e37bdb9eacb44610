import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../support/amount.ts'
import { judge } from './commands-support.ts'

const list = 'ls: true\ncat: true\ngit status: true\nnpm test: true\nmake: true\nfind: true\nrm: ask\n'

const allowed = fc.constantFrom(
  'ls',
  'ls -la src',
  'cat a.txt',
  'git status',
  'npm test',
  'make',
  'pwd',
  "echo 'a; b'",
  'git log -n 3',
  "grep -n 'x' src/a.ts",
)
const forbidden = fc.constantFrom(
  'rm x',
  'rm -r build',
  'evil',
  'evil --now',
  './x.sh',
  'git push',
  'git commit -m x',
  'npm publish',
  'kill 1',
  'lsof',
  'bash x.sh',
  'python3 -c 1',
  'sudo ls',
  'docker rm x',
  'tee out',
)

/** Other spellings of the first word. */
const disguise = fc.constantFrom<(line: string) => string>(
  (line) => line,
  (line) => line.replace(/^(\S)/, '\\$1'),
  (line) => line.replace(/^(\S+)/, "'$1'"),
  (line) => line.replace(/^(\S+)/, '"$1"'),
  (line) => line.replace(/^(\S)(\S+)/, `$1""$2`),
  (line) => line.replace(/^(\S)(\S+)/, `$1'$2'`),
  (line) => line.replace(/^(\S+)/, `$'$1'`),
  (line) => line.replace(/^(\S)/, (letter) => `$'\\x${letter.charCodeAt(0).toString(16)}'`),
  (line) => line.replace(/^(\S)(\S+)/, '$1\\\n$2'),
  (line) => line.replaceAll(' ', '\t'),
  (line) => line.replaceAll(' ', ' \\\n '),
)

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Ways in which one line may contain another. */
const places: readonly ((line: string, bad: string) => string)[] = [
  (line, bad) => `${line}; ${bad}`,
  (line, bad) => `${bad}; ${line}`,
  (line, bad) => `${line} && ${bad}`,
  (line, bad) => `${bad} || ${line}`,
  (line, bad) => `${line} | ${bad}`,
  (line, bad) => `${line} |& ${bad}`,
  (line, bad) => `${line} & ${bad}`,
  (line, bad) => `${bad} & ${line}`,
  (line, bad) => `${line}\n${bad}`,
  (line, bad) => `${bad}\n${line}`,
  (line, bad) => `${line} # note\n${bad}`,
  (line, bad) => `(${line}; ${bad})`,
  (line, bad) => `{ ${line}; ${bad}; }`,
  (line, bad) => `! ${bad} && ${line}`,
  (line, bad) => `time ${bad}; ${line}`,
  (line, bad) => `${line} $(${bad})`,
  (line, bad) => `${line} "$(${bad})"`,
  (line, bad) => `${line} "\${X:-$(${bad})}"`,
  (line, bad) => `${line} \${X+$(${bad})}`,
  (line, bad) => `${line} <(${bad})`,
  (line, bad) => `${line} > >(${bad})`,
  (line, bad) => `X=$(${bad}) ${line}`,
  (line, bad) => `X=(a $(${bad})); ${line}`,
  (line, bad) => `echo $(( $(${bad}) ))\n${line}`,
  (line, bad) => `[[ -n $(${bad}) ]] && ${line}`,
  (line, bad) => `cat <<EOF\n$(${bad})\nEOF\n${line}`,
  (line, bad) => `cat <<EOF; ${bad}\ntext\nEOF\n${line}`,
  (line, bad) => `cat <<< "$(${bad})"; ${line}`,
  (line, bad) => `if ${bad}; then ${line}; fi`,
  (line, bad) => `if ${line}; then true; else ${bad}; fi`,
  (line, bad) => `for i in a; do ${line}; ${bad}; done`,
  (line, bad) => `for i in $(${bad}); do ${line}; done`,
  (line, bad) => `while ${bad}; do ${line}; done`,
  (line, bad) => `until ${line}; do ${bad}; done`,
  (line, bad) => `case a in a) ${bad};; *) ${line};; esac`,
  (line, bad) => `f() { ${bad}; }; ${line}; f`,
  (line, bad) => `ls() { ${bad}; }; ls; ${line}`,
  (line, bad) => `coproc ${bad}; ${line}`,
  (line, bad) => `trap ${quote(bad)} EXIT; ${line}`,
  (line, bad) => `bash -c ${quote(`${line}; ${bad}`)}`,
  (line, bad) => `sh -ec ${quote(bad)}; ${line}`,
  (line, bad) => `eval ${quote(bad)}; ${line}`,
  (line, bad) => `env ${bad}; ${line}`,
  (line, bad) => `env -i CI=1 ${bad}; ${line}`,
  (line, bad) => `env -S ${quote(bad)}; ${line}`,
  (line, bad) => `timeout 5 ${bad}; ${line}`,
  (line, bad) => `timeout -k 1 -s KILL 5 nice -n 3 nohup ${bad} & ${line}`,
  (line, bad) => `stdbuf -oL ${bad} | ${line}`,
  (line, bad) => `setsid ${bad}; ${line}`,
  (line, bad) => `command ${bad}; ${line}`,
  (line, bad) => `exec ${bad}; ${line}`,
  (line, bad) => `${line} | xargs ${bad}`,
  (line, bad) => `${line} | xargs -I{} sh -c ${quote(bad)}`,
  (line, bad) => `find . -exec ${bad} \\; ; ${line}`,
  (line, bad) => `find . -exec sh -c ${quote(bad)} \\; ; ${line}`,
  (line, bad) => `git -c alias.x=${quote(`!${bad}`)} x; ${line}`,
  (line, bad) => `git -c core.pager=${quote(bad)} log; ${line}`,
  (line, bad) => `sudo ${bad}; ${line}`,
  (line, bad) => `ssh host ${quote(bad)}; ${line}`,
  (line, bad) => `bash <<EOF\n${bad}\nEOF\n${line}`,
  (line, bad) => `echo ${quote(bad)} | sh; ${line}`,
  (line, bad) => `python3 -c ${quote(`import os; os.system("${bad}")`)}; ${line}`,
  (line, bad) => `alias ls=${quote(bad)}\n${line}`,
  (line, bad) => `watch ${quote(bad)}; ${line}`,
  (line, bad) => `flock l -c ${quote(bad)}; ${line}`,
  (line, bad) => `script -c ${quote(bad)} o; ${line}`,
  (line, bad) => `parallel ::: ${quote(bad)}; ${line}`,
  (line, bad) => `X=${quote(bad)}; $X; ${line}`,
  (line, bad) => `X=${quote(bad)}; eval "$X"; ${line}`,
  (line, bad) => `PROMPT_COMMAND=${quote(bad)} ${line}`,
  (line, bad) => `busybox sh -c ${quote(bad)}; ${line}`,
]

const shape = fc.record({
  lines: fc.array(allowed, { minLength: 1, maxLength: 3 }),
  bad: fc.tuple(forbidden, disguise).map(([line, hide]) => hide(line)),
  outer: fc.array(fc.constantFrom(...places), { minLength: 1, maxLength: 3 }),
})

describe('a denied command in an allowed line', () => {
  it('without it, the lines are allowed', () => {
    fc.assert(
      fc.property(
        fc.array(allowed, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('; ', ' && ', ' | ', '\n', ' || '),
        (lines, between) => {
          expect(judge(lines.join(between), list).kind).toBe('allow')
        },
      ),
      { seed: 4, numRuns: amount({ usual: 30, deep: 200 }) },
    )
  })

  it.each(places.map((place) => [place('ls', 'evil x'), place] as const))('is found in %s', (_, place) => {
    fc.assert(
      fc.property(allowed, forbidden, disguise, (line, bad, hide) => {
        expect(judge(place(line, hide(bad)), list).kind).not.toBe('allow')
      }),
      { seed: 11, numRuns: 25 },
    )
  })

  it('is never allowed, at any depth', () => {
    fc.assert(
      fc.property(shape, ({ lines, bad, outer }) => {
        let line = bad
        for (const [at, place] of outer.entries()) {
          // A second line within a comment or a here-document would be text, not a command.
          fc.pre(!(line.includes('\n') && /<<|#/.test(place('', ''))))
          line = place(lines[at % lines.length] as string, line)
        }
        expect(judge(line, list).kind, line).not.toBe('allow')
      }),
      { seed: 17, numRuns: amount({ usual: 50, deep: 1_500 }) },
    )
  })
})
