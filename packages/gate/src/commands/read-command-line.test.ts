import { describe, expect, it } from 'vitest'
import { commandsOfCall } from './commands-of-call.ts'
import { readCommandLine } from './read-command-line.ts'

const textsOf = (line: string) => readCommandLine(line).commands.map(({ text }) => text)

describe('a line', () => {
  it.each([
    ['ls -la', ['ls -la']],
    [`e""cho 'a b' "c"`, ["echo 'a b' c"]],
    [
      'timeout -k 5 10 nice -n 3 git -C a -c color.ui=never status -s',
      [
        'timeout -k 5 10 nice -n 3 git -C a -c color.ui=never status -s',
        'nice -n 3 git -C a -c color.ui=never status -s',
        'git status -s',
      ],
    ],
    [
      `timeout 5 bash -c "a | b 'c d'"`,
      [`timeout 5 bash -c 'a | b '\\''c d'\\'''`, `bash -c 'a | b '\\''c d'\\'''`, 'a', "b 'c d'"],
    ],
    ['find . -exec a {} \\; -exec b {} +', ["find . -exec a {} ';' -exec b {} +", 'a {}', 'b {}']],
    ['x=$(a) y=`b` c', ['a', 'b', 'c']],
    ['cat <<A <<B\n$(x)\nA\n$(y)\nB', ['x', 'y', 'cat']],
    ['git -c alias.s="!a b" s', ['git s', 'a b']],
    ['', []],
    ['# nothing', []],
  ])('%j holds %j', (line, commands) => {
    expect(textsOf(line)).toEqual(commands)
  })

  it('tells what is known of its words', () => {
    const [command] = readCommandLine('cat a "$x" *.ts > out < in').commands
    expect(command).toMatchObject({
      words: ['cat', 'a', '$x', '*.ts'],
      open: [2],
      globs: [3],
      redirects: [
        { path: 'out', kind: 'write' },
        { path: 'in', kind: 'read' },
      ],
    })
  })

  it('knows the folders it may run in', () => {
    expect(readCommandLine('cd a && cd b; ls').folders).toEqual(['.', 'a', 'b', 'a/b'])
    expect(readCommandLine('cd $x; ls').doubts).not.toEqual([])
  })

  it('ends with a doubt when it is nested or repeated without end', () => {
    let line = 'ls'
    for (let i = 0; i < 40; i++) line = `nice ${line}`
    expect(readCommandLine(line).doubts).not.toEqual([])
    expect(readCommandLine('$('.repeat(5_000)).doubts).not.toEqual([])
    expect(readCommandLine('('.repeat(5_000)).doubts).not.toEqual([])
    expect(readCommandLine('ls;'.repeat(2_000)).refused).toBeDefined()
    expect(readCommandLine('a'.repeat(200_000)).refused).toBeDefined()
  })

  it('refuses what nobody can see', () => {
    for (const hidden of ['\0', '\r', '\u001b', '\u202e', '\u200b', '\ufeff', '\u{e0041}', '\ud800']) {
      expect(readCommandLine(`ls ${hidden}x`), JSON.stringify(hidden)).toMatchObject({
        commands: [],
        refusedBy: 'characters',
      })
    }
    expect(readCommandLine('echo "grüße 日本 👍"')).toMatchObject({ doubts: [] })
  })

  it('has names of objects for programs without coming apart', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty'])
      expect(textsOf(`${name} x; git ${name}`)).toEqual([`${name} x`, `git ${name}`])
  })
})

describe('what a call comes down to', () => {
  it('is sure only when everything is plain', () => {
    expect(commandsOfCall('ls && git push')).toEqual({ list: [['ls'], ['git', 'push']], sure: true })
    expect(commandsOfCall('ls $x').sure).toBe(false)
    expect(commandsOfCall('$x').sure).toBe(false)
    expect(commandsOfCall('rm -rf /').sure).toBe(false)
  })
})
