import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createPathResolver, type ProtectedChange, sandboxProgram } from '@cadre/gate'
import { openHome } from '@cadre/home'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bubblewrap, createWorld, type World, without } from './sandbox-support.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

/** Runs a script as an agent program would run, until it ends. */
async function run(script: string, sandbox = bubblewrap, readOnly = false, meanwhile = () => {}) {
  const folder = path.join(world.outer, 'private')
  mkdirSync(folder, { recursive: true })
  const program = path.join(world.outer, 'program.sh')
  writeFileSync(program, script)
  const home = openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
  const changes: ProtectedChange[] = []
  let told = () => {}
  const cleaned = new Promise<void>((resolve) => {
    told = resolve
  })
  const enclosed = await sandboxProgram(
    {
      command: '/bin/bash',
      args: [program],
      env: { PATH: process.env['PATH'], HOME: folder, KEY: 'k' },
      workspace: world.project,
      readOnly,
      folder,
    },
    {
      sandbox,
      places: createPathResolver({ home: home.path, userHome: world.user }),
      home,
      userHome: world.user,
      changed: (found) => {
        changes.push(...found)
        told()
      },
    },
  )
  if (enclosed.kind === 'refused') return { refused: enclosed.reason, output: '', changes, cleaned }
  const child = spawn(enclosed.command, enclosed.args, {
    cwd: enclosed.cwd,
    env: enclosed.env as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe', ...enclosed.inputs.map(() => 'pipe' as const)],
  })
  for (const [at, bytes] of enclosed.inputs.entries()) {
    const stream = child.stdio[at + 3] as NodeJS.WritableStream
    stream.on('error', () => {})
    stream.end(bytes)
  }
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text: Buffer) => {
      output += text.toString()
    })
  await new Promise((resolve) => child.once('close', resolve))
  meanwhile()
  await enclosed.cleanUp()
  return { output, changes, cleaned, folder }
}

describe('an agent program', () => {
  it('is denied without a sandbox', async () => {
    expect(await run('true', without)).toMatchObject({ refused: 'this test wants none' })
  })

  it.skipIf(bubblewrap.kind === 'none')(
    'writes to the workspace and its private folder, and nowhere else',
    async () => {
      const outside = path.join(world.outer, 'outside')
      const { output } = await run(
        `pwd; echo a > made.txt && echo b > "$HOME/state" && echo wrote; echo c > ${outside}; ls ${world.user}`,
      )
      expect(output).toContain(`${world.project}\nwrote\n`)
      expect(output).toContain(`cannot access '${world.user}'`)
      expect(world.read('made.txt')).toBe('a\n')
      expect(existsSync(path.join(world.outer, 'private/state'))).toBe(true)
      expect(existsSync(outside)).toBe(false)
    },
  )

  it.skipIf(bubblewrap.kind === 'none')(
    'cannot change protected files, and new ones are removed and reported',
    async () => {
      const before = world.protectedState()
      const { changes, cleaned, output } = await run(
        `echo evil > .mcp.json; echo evil >> .cadre/config.yaml; mkdir -p x/.claude && echo '{}' > x/.claude/settings.json; echo end`,
      )
      expect(output).toContain('end')
      await cleaned
      expect(world.protectedState()).toEqual(before)
      expect(existsSync(world.at('x/.claude'))).toBe(false)
      expect(changes).toMatchObject([{ what: 'created', undone: true }])
    },
  )

  it.skipIf(bubblewrap.kind === 'none')(
    'cannot change the workspace of an agent that may not edit files',
    async () => {
      const { output } = await run(
        'echo x > made.txt || echo kept; mkdir .git/x || echo kept',
        bubblewrap,
        true,
      )
      expect(output.match(/^kept$/gm)).toHaveLength(2)
      expect(existsSync(world.at('made.txt'))).toBe(false)
    },
  )

  it.skipIf(bubblewrap.kind === 'none')(
    'does not lose what a person writes meanwhile: Cadre undoes it only if the program could have written it, and keeps copies',
    async () => {
      const { changes } = await run('true', bubblewrap, false, () => {
        world.write('.cursor/mcp.json', 'mine')
        world.write('x/.claude/agents/a.md', 'my agent')
        world.write('x/.claude/settings.json', 'my settings')
        world.write('.mcp.json', 'edited')
      })
      // The program cannot have written it.
      expect(world.read('.mcp.json')).toBe('edited')
      const contents = changes.map(({ path: place, copies = [] }) => [
        path.relative(world.project, place),
        copies.map((copy) => readFileSync(copy, 'utf8')).sort(),
      ])
      expect(contents).toEqual([
        ['.cursor', ['mine']],
        ['x/.claude', ['my agent', 'my settings']],
      ])
      expect(existsSync(world.at('x/.claude'))).toBe(false)
      expect(changes.flatMap(({ copies = [] }) => copies)[0]).toContain(world.at('.cadre/storage/undone'))
    },
  )
})
