import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { createPathResolver, interpretLine } from '@cadre/gate'
import { createTools } from '@cadre/tools'
import { afterAll, describe, expect, it, test } from 'vitest'
import { inDeep, share } from '../support/amount.ts'
import { bubblewrap, createWorld, git, type World, without } from './sandbox-support.ts'

/** Lines as the runner executes them: from words, without a shell. */
const world: World = createWorld()
afterAll(() => rmSync(world.outer, { recursive: true, force: true }))
for (const name of ['g/b.txt', 'g/a.txt', 'g/-n', 'g/@x', 'g/.hidden', 'g/deep/c.txt'])
  world.write(name, `${name}\n`)
symlinkSync(world.outer, world.at('out'))
world.write('links/in.txt', '')
symlinkSync('../../outside.txt', world.at('links/leak.txt'))
world.write('plain', 'echo no\n')
chmodSync(world.at('plain'), 0o755)
world.write('run.sh', '#!/bin/sh\necho ran "$@"\n')
chmodSync(world.at('run.sh'), 0o755)
mkdirSync(world.at('empty'))

async function run(line: string, options: Parameters<World['run']>[1] = { sandbox: without }) {
  const { plan } = interpretLine(line)
  if (plan === undefined) throw new Error(`${line} needs a shell`)
  // The world's own `run` takes a line; the last option wins.
  const end = await world.run('', { ...options, ...({ command: { plan } } as object) })
  return { code: end.code, output: end.output, kind: end.kind }
}

const shellLike: readonly (readonly [line: string, output: string, code?: number])[] = [
  ['echo a | cat', 'a\n'],
  ["printf 'b\\na\\n' | sort | head -n 1", 'a\n'],
  ['true && echo yes || echo no', 'yes\n'],
  ['false && echo yes || echo no', 'no\n'],
  ['false; echo next', 'next\n'],
  ['true || echo skipped; echo $?', '0\n'],
  ['false; echo $?', '1\n'],
  ['false; echo "code: $?"', 'code: 1\n'],
  ['false | true', ''],
  ['true | false', '', 1],
  ['exit 3', '', 3],
  ['echo a; exit 4; echo b', 'a\n', 4],
  ['(echo a; exit 5); echo $?', 'a\n5\n'],
  ['(cd g && cat a.txt); cat src/a.txt', 'g/a.txt\na\n'],
  ['cd g && cat b.txt', 'g/b.txt\n'],
  ['cd g; cd deep; cat c.txt', 'g/deep/c.txt\n'],
  ['cd g | cat; cat src/a.txt', 'a\n'],
  ['(echo b; echo a) | sort', 'a\nb\n'],
  ["cat <<'E'\n$x `y` \\z\nE", '$x `y` \\z\n'],
  ['cat <<E | sort\nb\na\nE', 'a\nb\n'],
  ['cat <<-E\n\tx\n\tE', 'x\n'],
  ['echo x > new.txt; cat new.txt', 'x\n'],
  ['echo 1 > two.txt; echo 2 >> two.txt; cat < two.txt', '1\n2\n'],
  ['ls missing 2> /dev/null || echo none', 'none\n'],
  ['ls missing > both.txt 2>&1; wc -l < both.txt', '1\n'],
  ['echo g/*.txt', 'g/a.txt g/b.txt\n'],
  ['echo g/[ab].txt g/?.txt', 'g/a.txt g/b.txt g/a.txt g/b.txt\n'],
  ['echo none*', 'none*\n'],
  ['cd g && echo *', './-n ./@x a.txt b.txt deep\n'],
  ['cd g && echo .h*', '.hidden\n'],
  ['echo g/*/c.txt', 'g/deep/c.txt\n'],
  ['echo g/{b,a}.txt', 'g/b.txt g/a.txt\n'],
  ['echo \'g/*\' "g/*"', 'g/* g/*\n'],
  ['export NODE_ENV=x; node -p process.env.NODE_ENV', 'x\n'],
  ['NODE_ENV=y node -p process.env.NODE_ENV', 'y\n'],
  ['command -v cd', 'cd\n'],
  ['command -v no-such-program', '', 1],
  ['./run.sh "a  b"', 'ran a  b\n'],
  ['echo -n x; echo y', 'xy\n'],
  ['ln -s g/deep way; cd way/..; echo $?', 'cadre: cd: way/..: it goes through a symbolic link\n1\n'],
  ['[[ -f src/a.txt ]] && echo there', 'there\n'],
  ['[[ ! -d src ]] || echo folder', 'folder\n'],
  ['[[ -z "" ]]; echo $?', '0\n'],
  ['set -e; echo a; false; echo b', 'a\n', 1],
  ['set -e\ncd g\ncat a.txt', 'g/a.txt\n'],
  ['F=g/a.txt; cat $F; cat "$F"', 'g/a.txt\ng/a.txt\n'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line for a shell
  ['D=g && cat ${D}/a.txt', 'g/a.txt\n'],
  ['false; F=x; echo $?', '0\n'],
  ["F=x; echo '$F' \\$F", '$F $F\n'],
]

test.each([
  '[[ -f src/*.txt ]]',
  '[[ a == b* ]]',
  '[[ -f a && -f b ]]',
  'CI=1 [[ -f a ]]',
  '> a [[ -f a ]]',
  '[[ -v x[$(id)] ]]',
  '[[ -f $x ]]',
  'set -e; false || true; ls',
  'set -e; (false; ls)',
  'set -ex; ls',
  'ls; set -e',
  'F=x; F=y; echo $F',
  'F="a b"; ls $F',
  'F=*; ls $F',
  'false && F=x; echo $F',
  'F=x | cat; echo $F',
  '(F=x); echo $F',
  'PATH=src; ls',
  'LD_PRELOAD=x.so; ls',
  'F=x ls $F',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line for a shell
  'F=x; echo ${F%x}',
  'F=x; echo $FOO',
  'F=x; echo $F[0]',
])('%s needs a shell', (line) => {
  expect(interpretLine(line).plan).toBeUndefined()
})

describe.each(share(shellLike, 32).map(([line, output, code = 0]) => ({ line, output, code })))(
  '$line',
  ({ line, output, code }) => {
    it('prints and exits like a shell', async () => {
      expect(await run(line)).toEqual({ kind: 'exited', code, output })
    })
  },
)

describe('the runner', () => {
  inDeep('reports a missing program with 127 and one without #! with 126', async () => {
    expect(await run('no-such-program')).toMatchObject({
      code: 127,
      output: expect.stringMatching(/not found/),
    })
    expect(await run('./plain')).toMatchObject({ code: 126, output: expect.stringMatching(/#!/) })
  })

  it('denies globs and folders that point outside the workspace', async () => {
    expect(await run('cat links/*')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is outside the workspace/),
    })
    expect(await run('echo out/*')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is outside the workspace/),
    })
    const { output, code } = await run('cd out && cat outside.txt')
    expect({ output, code }).toMatchObject({ code: 1, output: expect.stringMatching(/^cadre: cd: out: /) })
  })

  it('keeps the order of both streams', async () => {
    expect((await run('echo 1; ls missing; echo 2; ls missing; echo 3')).output).toMatch(
      /^1\n.*missing.*\n2\n.*missing.*\n3\n$/,
    )
  })

  inDeep('passes large output through pipes, and ends when the reader does', async () => {
    expect(await run('seq 300000 | cat | tail -n 1')).toMatchObject({ output: '300000\n' })
    expect(await run('seq 100000000 | head -n 2')).toMatchObject({ code: 0, output: '1\n2\n' })
  })

  it('is stopped with everything it started at its timeout', async () => {
    const started = Date.now()
    const { kind } = await run('sleep 30 | sleep 30', { sandbox: without, timeoutMs: 700 })
    expect(kind).toBe('timed_out')
    expect(Date.now() - started).toBeLessThan(10_000)
  })

  it.runIf(bubblewrap.kind === 'bubblewrap')('does the same in the sandbox', async () => {
    const line = 'cd g && cat a.txt | sort > /tmp/x && cat /tmp/x *.txt'
    expect(await run(line, {})).toEqual({ kind: 'exited', code: 0, output: 'g/a.txt\ng/a.txt\ng/b.txt\n' })
  })
})

describe('git in an allowed line', () => {
  const mark = () => world.at('P')
  const evil = (text = '') => `touch ${mark()}${text}`

  test('starts no program that the repository settings name', async () => {
    world.write('.gitattributes', '*.txt diff=evil\n')
    git(world.project, 'add', '-A')
    git(world.project, 'commit', '-qm', 'second')
    world.write('src/a.txt', 'changed\n')
    for (const [key, value] of [
      ['core.fsmonitor', evil()],
      ['diff.external', evil()],
      ['diff.evil.textconv', evil('; cat')],
      ['diff.evil.command', evil()],
      ['core.pager', evil('; cat')],
      ['pager.log', evil('; cat')],
    ] as const)
      git(world.project, 'config', key, value)
    world.write('.git/hooks/post-index-change', `#!/bin/sh\n${evil()}\n`)
    chmodSync(world.at('.git/hooks/post-index-change'), 0o755)
    rmSync(mark(), { force: true })
    const lines = [
      'git status',
      'git diff',
      'git diff --stat',
      'git log -p -n 1',
      'git show HEAD',
      'git -C . diff',
      'git --no-pager diff',
      '/usr/bin/git diff',
      'timeout 20 git diff',
      'nice git show',
      '(git diff)',
      'git diff | cat',
      'git blame src/a.txt',
      'git grep changed',
    ]
    for (const line of share(lines, 18)) {
      expect((await run(line)).kind, line).toBe('exited')
      expect(existsSync(mark()), line).toBe(false)
    }
  })
})

describe('execute_command', () => {
  const places = createPathResolver({ project: world.project, userHome: world.user })
  const tool = createTools({ places, commands: { sandbox: without } }).find(
    ({ name }) => name === 'execute_command',
  )
  const call = async (command: string, approved: boolean) => {
    const context = { session: 's', agent: 'a', call: 'c', key: 's/c', workspace: world.project }
    return tool?.run({ command }, { ...context, ...(approved && { approved }) }, new AbortController().signal)
  }

  it('denies a line that needs a shell and was not approved', async () => {
    expect(await call('echo $((1 + 2))', false)).toMatchObject({
      failed: true,
      content: expect.stringMatching(/needs a shell/),
    })
  })

  it('passes an approved line to bash, as the person saw it', async () => {
    expect(await call('echo $((1 + 2)) "$BASH"', true)).toMatchObject({
      content: expect.stringMatching(/^Exit code 0\.\n3 .*bash$/),
    })
    // Only a shell has this builtin.
    expect(await call('type cd', true)).toMatchObject({ content: expect.stringMatching(/builtin/) })
  })

  it('runs a line that rules allowed without a shell', async () => {
    expect(await call('cat src/a.txt missing || echo failed', false)).toMatchObject({
      content: expect.stringMatching(/^Exit code 0\.[\s\S]*failed$/),
    })
  })
})
