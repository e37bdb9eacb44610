import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createPathResolver, runGuardedCommand } from '@cadre/gate'
import { isUnsandboxedCommandRunning, openHome, readRequesters, recordRequesters } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sampled } from '../support/amount.ts'
import { bubblewrap, createWorld, git, stateOf, type World, without } from './sandbox-support.ts'

const it = sampled(6)

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

const both = [bubblewrap, without].filter((sandbox, at) => at === 1 || sandbox.kind === 'bubblewrap')

/** Processes whose command line contains a text. */
const running = (text: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text)
      } catch {
        return false
      }
    })

const isBubblewrap = (pid: string) => readFileSync(`/proc/${pid}/comm`, 'latin1') === 'bwrap\n'

const isChild = (pid: string) =>
  readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')[1] === String(process.pid)

/** Waits for a condition; the test's own time limit ends a wait that never ends. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}

describe.each(both)('a command ($kind)', (sandbox) => {
  it('returns its exit code and both streams in order', async () => {
    const end = await world.run('echo one; echo two >&2; echo three; exit 3', { sandbox })
    expect(end).toMatchObject({
      kind: 'exited',
      code: 3,
      output: 'one\ntwo\nthree\n',
      cut: false,
      changes: [],
    })
  })

  it('prints through the names of its streams', async () => {
    const end = await world.run(
      'echo one > /dev/stdout; echo two > /dev/stderr; echo three | tee /dev/stderr',
      { sandbox },
    )
    expect(end).toMatchObject({ code: 0, output: 'one\ntwo\nthree\nthree\n' })
  })

  it('runs in the given folder, and may change the workspace', async () => {
    mkdirSync(world.at('src', 'deep'))
    const end = await world.run('pwd; echo new > ../b.txt; mkdir x; mv ../a.txt x/', {
      sandbox,
      cwd: world.at('src', 'deep'),
    })
    expect(end.output).toBe(`${world.at('src', 'deep')}\n`)
    expect(world.read('src/b.txt')).toBe('new\n')
    expect(world.read('src/deep/x/a.txt')).toBe('a\n')
  })

  it('gets no input', async () => {
    expect(await world.run('cat; read x; echo "[$x]"', { sandbox })).toMatchObject({ output: '[]\n' })
  })

  it('reports the signal that ended it', async () => {
    expect(await world.run('kill -9 $$', { sandbox })).toMatchObject({ kind: 'exited', code: 137 })
    expect(await world.run('kill -TERM $$', { sandbox })).toMatchObject({ code: 143 })
    expect(await world.run('kill -HUP $$', { sandbox })).toMatchObject({ code: 129 })
  })

  it('keeps the start and the end of a long output', async () => {
    const end = await world.run('echo first; seq 1 50000; echo last', { sandbox, maxOutput: 1_000 })
    expect(end.cut).toBe(true)
    expect(end.output).toMatch(/^first\n1\n/)
    expect(end.output).toMatch(/50000\nlast\n$/)
    expect(end.output).toMatch(/\[\d+ bytes omitted\]/)
    expect(end.output.length).toBeLessThan(1_100)
  })

  it('is stopped when it prints endlessly', async () => {
    expect(await world.run('yes', { sandbox })).toMatchObject({ kind: 'flooded', cut: true })
  })

  it('is stopped at its timeout, however it handles signals', async () => {
    const end = await world.run(`trap '' TERM INT HUP; echo begun; while :; do :; done`, {
      sandbox,
      timeoutMs: 1_500,
    })
    expect(end).toMatchObject({ kind: 'timed_out' })
  })

  it('is stopped when it is cancelled, with everything it started', async () => {
    const name = `cadre-test-cancel-${process.pid}-${sandbox.kind}`
    const stop = new AbortController()
    const going = world.run(
      `trap '' TERM; (exec -a ${name} tail -f /dev/null) & echo ready > started; wait`,
      {
        sandbox,
        signal: stop.signal,
      },
    )
    await until(() => existsSync(world.at('started')) && running(name).length > 0)
    stop.abort()
    expect((await going).kind).toBe('cancelled')
    await until(() => running(name).length === 0)
  })

  it.each([
    ['the program itself', `trap 'echo > put-away; exit' TERM; echo > started; while :; do sleep 0.05; done`],
    [
      'the children of a shell, and the shell does not continue',
      `bash -c "trap 'sleep 0.2; echo > put-away; exit' TERM; echo > started; while :; do sleep 0.05; done"; echo > after`,
    ],
    [
      'the children of a shell script',
      `bash -c "bash -c \\"trap 'sleep 0.2; echo > put-away; exit' TERM; echo > started; while :; do sleep 0.05; done\\"; echo > after"; echo > after`,
    ],
  ])('is asked to end before it is killed: %s', async (_, command) => {
    const stop = new AbortController()
    const going = world.run(command, { sandbox, signal: stop.signal })
    await until(() => existsSync(world.at('started')))
    stop.abort()
    expect((await going).kind).toBe('cancelled')
    expect(existsSync(world.at('put-away'))).toBe(true)
    expect(existsSync(world.at('after'))).toBe(false)
  })

  it('is killed if it does not react', async () => {
    const name = `cadre-test-deaf-${process.pid}-${sandbox.kind}`
    const stop = new AbortController()
    const going = world.run(
      `trap '' TERM; bash -c "trap '' TERM; echo > started; while :; do :; done" ${name}; echo > after`,
      { sandbox, signal: stop.signal },
    )
    await until(() => existsSync(world.at('started')))
    stop.abort()
    expect((await going).kind).toBe('cancelled')
    await until(() => running(name).length === 0)
    expect(existsSync(world.at('after'))).toBe(false)
  })

  it('does not start if it was already cancelled', async () => {
    const end = await world.run('touch begun', { sandbox, signal: AbortSignal.abort() })
    expect(end.kind).toBe('cancelled')
    expect(existsSync(world.at('begun'))).toBe(false)
  })

  it('leaves nothing running, including processes outside its group', async () => {
    const name = `cadre-test-left-${process.pid}-${sandbox.kind}`
    const start = (how: string) => `(${how} bash -c 'exec -a ${name} tail -f /dev/null' >/dev/null 2>&1 &)`
    const end = await world.run(`${start('')}; ${start('setsid')}; ${start('nohup setsid')}; echo done`, {
      sandbox,
    })
    expect(end).toMatchObject({ kind: 'exited', code: 0, output: 'done\n' })
    await until(() => running(name).length === 0)
  })

  it('does not wait for a process that holds its output open', async () => {
    const end = await world.run('setsid tail -f /dev/null & yes & echo done', { sandbox, maxOutput: 100 })
    expect(end).toMatchObject({ kind: 'exited', code: 0 })
  })

  it('commits, and the git settings stay', async () => {
    const end = await world.run(
      'echo b >> src/a.txt && git add -A && git commit -qm second && git log --format=%s',
      { sandbox },
    )
    expect(end).toMatchObject({ code: 0, output: 'second\nfirst\n', changes: [] })
    expect(git(world.project, 'log', '--format=%s')).toBe('second\nfirst\n')
  })

  it('commits in a worktree, whose repository is elsewhere', async () => {
    git(world.project, 'worktree', 'add', '-q', `${world.outer}/tree`)
    const end = await world.run('echo b >> src/a.txt && git commit -qam in-tree && git log -1 --format=%s', {
      sandbox,
      workspace: `${world.outer}/tree`,
    })
    expect(end).toMatchObject({ code: 0, output: 'in-tree\n', changes: [] })
    const before = world.protectedState()
    for (const command of [
      'git config a.b c',
      'echo "[x]" >> ../project/.git/config',
      'touch ../project/.git/hooks/x',
      'echo gitdir: /tmp > .git',
    ]) {
      await world.run(command, { sandbox, workspace: `${world.outer}/tree` })
      expect(world.protectedState(), command).toEqual(before)
    }
    git(world.project, 'worktree', 'add', '-q', `${world.outer}/other`)
    const others = ['.git/index', '.git/HEAD', '.git/worktrees/other']
    const state = stateOf(world.project, others)
    await world.run(
      'rm -rf ../project/.git/index ../project/.git/worktrees/other; echo x > ../project/.git/HEAD',
      { workspace: `${world.outer}/tree` },
    )
    if (sandbox.kind === 'bubblewrap') expect(stateOf(world.project, others)).toEqual(state)
    expect(readFileSync(`${world.outer}/tree/.git`, 'utf8')).toContain('project/.git/worktrees/tree')
  })

  it('may create a repository, unless it would start something', async () => {
    git(world.outer, 'init', '-q', 'fresh')
    const fresh = `${world.outer}/fresh`
    execFileSync('rm', ['-rf', `${fresh}/.git`])
    const made = await world.run(
      'git init -q . && git init -q sub && git clone -q sub sub2; git -C sub remote add o https://x.org/a',
      { sandbox, workspace: fresh },
    )
    expect(made).toMatchObject({ code: 0, changes: [] })
    expect([
      existsSync(`${fresh}/.git/HEAD`),
      existsSync(`${fresh}/sub/.git/HEAD`),
      existsSync(`${fresh}/sub2/.git/HEAD`),
    ]).toEqual([true, true, true])
    for (const harm of [
      'git config core.fsmonitor ./evil',
      'git config alias.st "!evil"',
      'git config core.hooksPath .',
      'git config include.path ../x',
      'printf "[core]\\n\\tfsmonitor = evil \\\\\\n" >> .git/config',
      'echo evil > .git/hooks/post-checkout',
      'rm -rf .git; echo "gitdir: /tmp" > .git',
    ]) {
      const end = await world.run(`mkdir -p deep/one && cd deep/one && git init -q . && ${harm}`, {
        sandbox,
        workspace: fresh,
      })
      expect(
        end.changes.map(({ path }) => path),
        harm,
      ).toEqual([`${fresh}/deep/one/.git`])
      expect(existsSync(`${fresh}/deep/one/.git`), harm).toBe(false)
    }
  })

  it('concurrent commands do not affect each other', async () => {
    const ends = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((n) =>
        world.run(`echo ${n} > file-${n}; echo evil > .opencode; echo ${n}`, { sandbox }),
      ),
    )
    expect(ends.map((end) => end.output)).toEqual(['1\n', '2\n', '3\n', '4\n', '5\n', '6\n'])
    expect([1, 2, 3, 4, 5, 6].map((n) => world.read(`file-${n}`))).toEqual([
      '1\n',
      '2\n',
      '3\n',
      '4\n',
      '5\n',
      '6\n',
    ])
    expect(existsSync(world.at('.opencode'))).toBe(false)
  })

  it('gets only the given environment', async () => {
    const end = await world.run('env', { sandbox, environment: { PATH: process.env['PATH'], GIVEN: 'yes' } })
    expect(end.output).toMatch(/^GIVEN=yes$/m)
    expect(end.output).not.toMatch(/VITEST/)
  })

  it('on a copy sees everything and changes nothing', async () => {
    world.write('node_modules/x/index.js', 'x')
    symlinkSync('a.txt', world.at('src', 'link'))
    const end = await world.run(
      'cat src/link; git status --short | head -1; echo evil > src/a.txt; rm -rf .git node_modules; echo new > new',
      {
        sandbox,
        copy: true,
      },
    )
    expect(end).toMatchObject({ kind: 'exited', code: 0, changes: [] })
    expect(end.output).toContain('a\n')
    expect(world.read('src/a.txt')).toBe('a\n')
    expect(world.read('node_modules/x/index.js')).toBe('x')
    expect(existsSync(world.at('new'))).toBe(false)
    expect(existsSync(world.at('.git/config'))).toBe(true)
    expect(readdirSync(world.at('.cadre', 'storage', 'copies'))).toEqual([])
  })

  it('removes copies of dead processes, and none that is in use', async () => {
    const left = world.at('.cadre', 'storage', 'copies', '999999999-abc', 'workspace')
    mkdirSync(left, { recursive: true })
    const other = world.run('echo ready > /dev/null; while ! test -e go; do :; done; cat src/a.txt', {
      sandbox,
      copy: true,
    })
    const copies = () => readdirSync(world.at('.cadre', 'storage', 'copies'))
    await until(() => !existsSync(left) && copies().length === 1)
    const [name = ''] = copies()
    await world.run('true', { sandbox, copy: true })
    await until(() => existsSync(world.at('.cadre', 'storage', 'copies', name, 'workspace', 'src', 'a.txt')))
    writeFileSync(world.at('.cadre', 'storage', 'copies', name, 'workspace', 'go'), '')
    expect((await other).output).toBe('a\n')
    expect(copies()).toEqual([])
  })
})

describe.skipIf(bubblewrap.kind === 'none')('under bubblewrap a command', () => {
  it.each([
    ['outside the workspace', 'echo evil > ../outside.txt'],
    ['in /etc', 'touch /etc/cadre-test'],
    ['in /usr', 'touch /usr/cadre-test'],
    ['in the user’s home', 'echo evil > USER/.config/cadre/policy.yaml'],
    ['through a link that points outside', 'ln -s .. up; echo evil > up/outside.txt'],
    ['through the root of its process', 'echo evil > /proc/1/rootOUTER/outside.txt'],
    ['system settings', 'echo 1 > /proc/sys/vm/drop_caches'],
    ['kernel files', 'echo x > /sys/kernel/mm/transparent_hugepage/enabled'],
  ])('does not write %s', async (_, command) => {
    const end = await world.run(
      `${command.replaceAll('OUTER', world.outer).replaceAll('USER', world.user)} && echo it-worked && ls -d /etc/cadre-test`,
    )
    expect(end.code).not.toBe(0)
    expect(readFileSync(`${world.outer}/outside.txt`, 'utf8')).toBe('outside')
    expect(readFileSync(`${world.user}/.config/cadre/policy.yaml`, 'utf8')).toBe('strict: true\n')
  })

  it.each([
    ['a key of the user', 'cat USER/.ssh/id'],
    ['a key through its process', 'cat /proc/self/rootUSER/.ssh/id; cat /proc/1/rootUSER/.ssh/id'],
    ['system passwords', 'grep root: /etc/shadow | sed "s/root:/the private key/"'],
    [
      'the environment of its parent process',
      'cat /proc/*/environ | tr "\\0" "\\n" | grep VITEST | sed "s/^/the private key/"',
    ],
    ['files of others in /tmp', 'cat OUTER/outside.txt | sed "s/outside/the private key/"'],
    ['memory of other processes', 'ls /proc | grep -c "^[0-9]" | awk \'$1 > 20 {print "the private key"}\''],
  ])('does not read %s', async (_, command) => {
    const end = await world.run(command.replaceAll('OUTER', world.outer).replaceAll('USER', world.user))
    expect(end.output).not.toContain('the private key')
  })

  it('has an empty private home directory', async () => {
    const end = await world.run(
      'echo $HOME; ls -A $HOME; touch $HOME/x /tmp/y && echo writable; ls /root /home 2>/dev/null | grep -v : | head -3',
    )
    expect(end.output).toMatch(/^\/tmp\/home\n\.gitconfig\nwritable\n/)
    expect(existsSync('/tmp/y')).toBe(false)
  })

  it('reaches no server of this machine, unless the network is allowed', async () => {
    let calls = 0
    const server = createServer((socket) => {
      calls++
      socket.end('hello\n')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
    try {
      expect((await world.run(command)).code).not.toBe(0)
      expect(calls).toBe(0)
      expect(await world.run(command, { network: true })).toMatchObject({ code: 0, output: 'hello\n' })
    } finally {
      server.close()
    }
  })

  it('reaches no socket in /run, in /tmp or of the user', async () => {
    const socket = `${world.outer}/agent.sock`
    const server = createServer((connection) => connection.end())
    await new Promise<void>((resolve) => server.listen(socket, resolve))
    try {
      const end = await world.run(`test -e ${socket} && echo seen; ls -A /run | head`)
      expect(end.output).toBe('')
    } finally {
      server.close()
    }
  })

  it('cannot kill or see the process that started it', async () => {
    const end = await world.run(`kill -9 ${process.pid}; kill -9 $PPID; kill -9 -1; echo still here`)
    expect(end.kind).toBe('exited')
    expect(running('cadre-no-such-process')).toEqual([])
  })

  it('has no capabilities and creates no namespaces', async () => {
    const end = await world.run(
      'grep -E "^Cap(Prm|Eff|Bnd)" /proc/self/status; grep NoNewPrivs /proc/self/status; unshare -Ur true && echo made',
    )
    expect(end.output.match(/0000000000000000/g)).toHaveLength(3)
    expect(end.output).toMatch(/NoNewPrivs:\t1/)
    if (bubblewrap.kind === 'bubblewrap' && bubblewrap.closed) expect(end.output).not.toContain('made')
  })

  it('gets only its three file descriptors', async () => {
    // No pipe in the line, because a shell holds its ends while it creates one.
    const end = await world.run('ls -l /proc/$$/fd; :')
    const lines = end.output.split('\n').filter((line) => /pipe|socket|memfd/.test(line))
    expect(lines.filter((line) => !/ [012] -> /.test(line))).toEqual([])
    expect(lines).not.toEqual([])
  })

  it('dies with the process that started it', () => {
    const name = `cadre-test-orphan-${process.pid}`
    const script = `
      import { createPathResolver, findSandbox, runGuardedCommand } from '@cadre/gate'
      const run = { command: 'exec -a ${name} tail -f /dev/null', cwd: process.argv[1], workspace: process.argv[1], timeoutMs: 60000, copy: false, network: false, environment: process.env, key: 'k' }
      void runGuardedCommand(run, { sandbox: await findSandbox(process.env), places: createPathResolver() }, new AbortController().signal)
      const { readdirSync, readFileSync } = await import('node:fs')
      const started = () => readdirSync('/proc').some((pid) => { try { return /^\\d+$/.test(pid) && readFileSync('/proc/' + pid + '/cmdline', 'latin1').startsWith('${name}') } catch { return false } })
      const look = () => started() ? process.kill(process.pid, 'SIGKILL') : setImmediate(look)
      look()
    `
    expect(() =>
      execFileSync(
        process.execPath,
        [
          '--conditions=cadre-source',
          '--experimental-strip-types',
          '--no-warnings',
          '--input-type=module',
          '-e',
          script,
          world.project,
        ],
        { cwd: import.meta.dirname, stdio: 'pipe' },
      ),
    ).toThrow(/SIGKILL|Command failed/)
    return until(() => running(name).length === 0)
  })

  // As the machine does when its memory is full, or systemd when it stops a service.
  it.each([
    ['SIGHUP', 129],
    ['SIGTERM', 143],
    ['SIGKILL', 137],
  ] as const)('is not reported as not run if %s ends its sandbox', async (signal, code) => {
    const name = `cadre-test-killed-${process.pid}`
    const ending = world.run(`echo effect > begun; exec -a ${name} tail -f /dev/null`)
    await until(() => existsSync(world.at('begun')))
    const sandboxes = running(world.project).filter((pid) => isChild(pid) && isBubblewrap(pid))
    expect(sandboxes).toHaveLength(1)
    process.kill(Number(sandboxes[0]), signal)
    expect(await ending).toMatchObject({ kind: 'exited', code })
    await until(() => running(name).length === 0)
  })

  it('does not run if the sandbox cannot be created', async () => {
    const program = world.at('src', 'bwrap')
    writeFileSync(program, '#!/bin/sh\necho no namespaces >&2\nexit 1\n', { mode: 0o755 })
    const end = await world.run('touch begun', { sandbox: { kind: 'bubblewrap', program, closed: true } })
    expect(end).toMatchObject({ kind: 'not_started', output: expect.stringContaining('no namespaces') })
    expect(existsSync(world.at('begun'))).toBe(false)
  })
})

describe('without a sandbox', () => {
  it('the home is marked as untrustworthy while a command is running', async () => {
    const home = openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
    expect(isUnsandboxedCommandRunning(home)).toBe(false)
    const going = world.run('echo > started; while ! test -e go; do :; done', { sandbox: without })
    await until(() => existsSync(world.at('started')))
    expect(isUnsandboxedCommandRunning(home)).toBe(true)
    writeFileSync(world.at('go'), '')
    expect((await going).kind).toBe('exited')
    expect(isUnsandboxedCommandRunning(home)).toBe(false)
  })

  it('a mark of a dead process does not count', () => {
    const home = openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
    const mark = `${home.folder('storage', 'unguarded')}/x.json`
    writeFileSync(mark, JSON.stringify({ token: 'x', pid: 999_999_999, host: 'h', boot: 'b' }))
    writeFileSync(
      mark,
      JSON.stringify({
        ...JSON.parse(readFileSync(mark, 'utf8')),
        host: execFileSync('hostname').toString().trim(),
      }),
    )
    expect(isUnsandboxedCommandRunning(home)).toBe(existsSync(mark))
  })

  it('user settings are restored too', async () => {
    const end = await world.run(
      `echo evil > ${world.user}/.config/cadre/policy.yaml; mkdir -p ${world.user}/.claude/agents; echo evil > ${world.user}/.claude/agents/a.md`,
      { sandbox: without },
    )
    expect(readFileSync(`${world.user}/.config/cadre/policy.yaml`, 'utf8')).toBe('strict: true\n')
    expect(existsSync(`${world.user}/.claude/agents/a.md`)).toBe(false)
    expect(end.changes.map(({ what }) => what).sort()).toEqual(['changed', 'created'])
  })

  test('nobody is removed from the people who gave a run work', async () => {
    const home = openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
    for (const id of ['emptied', 'deleted', 'replaced']) recordRequesters(home, 'session', id, ['ann'])
    const daemon = JSON.stringify({ session: 'emptied', people: ['ann', 'bob'] })
    const end = await world.run(
      `cd .cadre/storage/givers; set -- *; cp "$1" added; echo '{"people":[]}' > "$1"; rm "$2"; echo x > other; mv other "$3"`,
      { sandbox: without },
    )
    const given = () => ['emptied', 'deleted', 'replaced'].map((id) => readRequesters(home, 'session', id))
    expect(given()).toEqual([['ann'], ['ann'], ['ann']])
    expect(end.changes).toHaveLength(3)
    // A daemon in another process may add somebody while the command is running.
    await world.run(`for one in .cadre/storage/givers/*; do echo '${daemon}' > "$one"; done`, {
      sandbox: without,
    })
    expect(given()).toEqual([
      ['ann', 'bob'],
      ['ann', 'bob'],
      ['ann', 'bob'],
    ])
  })

  test('no request for the daemon is forged, and those that it has not delivered yet are restored', async () => {
    const home = openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
    const queue = home.folder('storage', 'requests', 'queued')
    const queued = `${queue}/00000000000001-1.json`
    writeFileSync(queued, '{}\n')
    const end = await world.run(
      `cd .cadre/storage/requests/queued; echo '{"kind":"start"}' > 00000000000002-1.json; echo x > 00000000000001-1.json`,
      { sandbox: without },
    )
    expect(readdirSync(queue)).toEqual(['00000000000001-1.json'])
    expect(readFileSync(queued, 'utf8')).toBe('{}\n')
    expect(end.changes.map(({ what }) => what).sort()).toEqual(['changed', 'created'])
    await world.run('rm .cadre/storage/requests/queued/*', { sandbox: without })
    expect(readFileSync(queued, 'utf8')).toBe('{}\n')
  })

  it('a home that is named through a link is the same home', async () => {
    symlinkSync(world.at('.cadre'), `${world.outer}/home-link`)
    const home = openHome({ home: `${world.outer}/home-link`, cwd: world.outer, env: {} })
    home.folder('storage', 'leases')
    const before = world.protectedState()
    const places = createPathResolver({ home: home.path, userHome: world.user })
    const run = {
      cwd: world.project,
      workspace: world.project,
      timeoutMs: 60_000,
      network: false,
      environment: process.env,
      key: 'k',
    }
    const command = 'echo evil > .cadre/storage/policy.yaml; echo beat > .cadre/storage/leases/x; ls'
    const { signal } = new AbortController()
    const end = await runGuardedCommand(
      { ...run, command, copy: false },
      { sandbox: without, places, home },
      signal,
    )
    expect(end.changes.map((change) => change.path)).toEqual([world.at('.cadre/storage/policy.yaml')])
    expect(world.protectedState()).toEqual(before)
    expect(world.read('.cadre/storage/leases/x')).toBe('beat\n')
    expect(
      await runGuardedCommand(
        { ...run, command: 'ls -A', copy: true },
        { sandbox: without, places, home },
        signal,
      ),
    ).toMatchObject({ output: expect.not.stringContaining('.cadre') })
  })

  it('the target of a link that a command created is not touched', async () => {
    mkdirSync(`${world.outer}/precious/hooks`, { recursive: true })
    writeFileSync(`${world.outer}/precious/hooks/keep`, 'keep')
    const end = await world.run(
      'rm -rf .opencode; ln -s ../precious .opencode; mv .github old; ln -s ../precious .github',
      { sandbox: without },
    )
    expect(readFileSync(`${world.outer}/precious/hooks/keep`, 'utf8')).toBe('keep')
    expect(existsSync(world.at('.opencode'))).toBe(false)
    expect(world.read('.github/hooks/pre.json')).toBe('{"hooks":{}}\n')
    expect(end.changes.length).toBeGreaterThan(1)
  })
})
