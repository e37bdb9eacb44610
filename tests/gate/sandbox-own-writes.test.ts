import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionSpec } from '@cadre/core'
import { type CommandEnd, createEvidence, createPathResolver, planRule } from '@cadre/gate'
import { isUnsandboxedCommandRunning, openHome } from '@cadre/home'
import { defineAgent } from '@cadre/testing'
import { createTools } from '@cadre/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorld, type World, without } from './sandbox-support.ts'

let world: World
beforeEach(() => {
  world = createWorld()
})
afterEach(() => world[Symbol.dispose]())

const artifact = '.github/hooks/artifacts/lead.md'
const homeOf = () => openHome({ home: world.at('.cadre'), cwd: world.project, env: {} })
const placesOf = () =>
  createPathResolver({ home: world.at('.cadre'), userHome: world.user, project: world.project })

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Does something while a command without a sandbox is running; `first` is what the command does before. */
async function during(work: () => Promise<unknown> | unknown, first = ':'): Promise<CommandEnd> {
  const command = `${first}; echo > started; while ! test -e go; do :; done`
  const going = world.run(command, { sandbox: without })
  await until(() => existsSync(world.at('started')))
  await work()
  writeFileSync(world.at('go'), '')
  return going
}

const addRule = async (command: string) => {
  const plan = planRule(homeOf(), [`command: ${command}`], { add: () => undefined })
  if (plan.kind === 'refused') throw new Error(plan.reason)
  await plan.write()
}

const writeArtifact = (content: string) => {
  const tools = createTools({ places: placesOf(), own: () => artifact })
  const context = { session: 's', agent: 'lead', call: 'c', key: 's/c', workspace: world.project }
  const write = tools.find(({ name }) => name === 'write_file')
  return write?.run({ path: artifact, content }, context, new AbortController().signal)
}

describe('while a command without a sandbox runs', () => {
  it('a rule that a person adds stays, and is not mistaken for the command’s work', async () => {
    const end = await during(() => addRule('npm test'))
    expect(end).toMatchObject({ kind: 'exited', changes: [] })
    expect(world.read('.cadre/storage/terminal-cmd-allowlist.yaml')).toContain('npm test: true')
  })

  it("an agent's artifact stays, with its folder, and nothing next to it", async () => {
    const end = await during(async () => {
      expect(await writeArtifact('## Found\n')).not.toHaveProperty('failed')
      writeFileSync(world.at(path.dirname(artifact), 'other.md'), 'of the command')
    })
    expect(world.read(artifact)).toBe('## Found\n')
    expect(end.changes.map((change) => path.basename(change.path))).toEqual(['other.md'])
    expect(existsSync(world.at(path.dirname(artifact), 'other.md'))).toBe(false)
  })

  it('a deleted stale artifact stays deleted', async () => {
    world.write(artifact, 'of an earlier run')
    const lead = defineAgent({ name: 'lead', boundary: { writes: 'artifact' } })
    const session: SessionSpec = {
      id: 'lead-1',
      root: 'lead-1',
      agent: lead,
      workspace: world.project,
      delegation: true,
      depth: 0,
    } as unknown as SessionSpec
    const { onLifecycleEvent } = createEvidence({ places: placesOf() })
    const end = await during(() =>
      onLifecycleEvent(
        { kind: 'session.started', source: 'startup' } as never,
        session,
        new AbortController().signal,
      ),
    )
    expect(end.changes).toEqual([])
    expect(existsSync(world.at(artifact))).toBe(false)
  })

  it('later changes of it by the command are undone', async () => {
    await during(async () => {
      await addRule('npm test')
      writeFileSync(world.at('.cadre/storage/terminal-cmd-allowlist.yaml'), 'rm: true\n')
    })
    expect(world.read('.cadre/storage/terminal-cmd-allowlist.yaml')).toBe('ls: true\n')
  })

  it('text that was written and removed before is not restored', async () => {
    await during(() => addRule('npm test'))
    const wide = world.read('.cadre/storage/terminal-cmd-allowlist.yaml')
    rmSync(world.at('started'))
    rmSync(world.at('go'))
    world.write('.cadre/storage/terminal-cmd-allowlist.yaml', 'ls: true\n')
    world.write('wide', wide)
    const end = await during(() => {}, 'cp wide .cadre/storage/terminal-cmd-allowlist.yaml')
    expect(end.changes).toMatchObject([{ what: 'changed', undone: true }])
    expect(world.read('.cadre/storage/terminal-cmd-allowlist.yaml')).toBe('ls: true\n')
  })

  it('nothing is trusted, although the command removes the mark', async () => {
    const home = homeOf()
    await during(() => {
      expect(existsSync(home.at('storage', 'unguarded'))).toBe(false)
      expect(isUnsandboxedCommandRunning(home)).toBe(true)
    }, 'rm -r .cadre/storage/unguarded')
    mkdirSync(home.at('storage', 'unguarded'), { recursive: true })
    expect(isUnsandboxedCommandRunning(home)).toBe(false)
    expect(readFileSync(world.at('started'), 'utf8')).toBe('\n')
  })
})
