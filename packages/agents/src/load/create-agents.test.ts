import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentRegistry, createAgents } from './create-agents.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-agents-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const at = (file: string) => path.join(root, file)
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), text)
}
const header = (keys: string) => `---\n${keys}\n---\nDo it.\n`
const turn = () => new Promise((resolve) => setImmediate(resolve))
const longAgo = new Date(Date.now() - 60_000)

/** A file may be written again within the same tick of the system clock, so wait until it is stable. */
async function settled(agents: AgentRegistry): Promise<readonly AgentDefinition[]> {
  let list = agents.list()
  for (let before: typeof list | undefined; before !== list; ) {
    await turn()
    before = list
    list = agents.list()
  }
  return list
}

describe('createAgents', () => {
  it('returns the state on disk, from the next turn', async () => {
    const agents = createAgents({ home: at('.cadre'), project: root })
    expect(agents.list()).toEqual([])
    expect(agents.get('a')).toBeUndefined()
    const change = async (text: string) => {
      write('.claude/agents/a.md', text)
      await turn()
    }
    await change(header('description: one'))
    expect(agents.get('A')?.description).toBe('one')
    // Same size, and perhaps the same timestamp.
    for (const word of ['two', 'six', 'ten']) {
      await change(header(`description: ${word}`))
      expect(agents.get('a')?.description).toBe(word)
    }
    await change(header('description: d\nmaxTurns: broken'))
    expect(agents.get('a')).toBeUndefined()
    expect(agents.loaded().files).toMatchObject([{ status: 'failed' }])
    unlinkSync(at('.claude/agents/a.md'))
    await turn()
    expect(agents.loaded()).toEqual({ agents: [], files: [], diagnostics: [] })
  })

  it('returns the same objects while nothing changes', async () => {
    for (const name of ['a', 'b']) write(`.claude/agents/${name}.md`, header('description: one'))
    const agents = createAgents({ project: root })
    const list = await settled(agents)
    const a = agents.get('a')
    await turn()
    expect(agents.list()).toBe(list)
    write('.claude/agents/b.md', header('description: changed'))
    await turn()
    expect(agents.get('a')).toBe(a)
    expect(agents.list()).not.toBe(list)
    expect(agents.get('b')?.description).toBe('changed')
  })

  it('notices a new file, a new folder, a moved one, and a replaced one', async () => {
    const agents = createAgents({ project: root })
    expect(agents.list()).toEqual([])
    write('.claude/agents/a.md', header('description: one'))
    await turn()
    expect((await settled(agents)).map(({ name }) => name)).toEqual(['a'])
    write('.claude/agents/deep/er/b.md', header('description: two'))
    await turn()
    expect((await settled(agents)).map(({ name }) => name)).toEqual(['a', 'b'])
    renameSync(at('.claude/agents/deep'), at('.claude/agents/other'))
    await turn()
    expect(agents.get('b')?.source?.path).toBe(at('.claude/agents/other/er/b.md'))
    write('new', header('description: new'))
    utimesSync(at('new'), longAgo, longAgo)
    renameSync(at('new'), at('.claude/agents/a.md'))
    await turn()
    expect(agents.get('a')?.description).toBe('new')
    rmSync(at('.claude'), { recursive: true })
    await turn()
    expect(agents.list()).toEqual([])
  })

  it('notices a file that is moved in with an old date, and one behind a link', async () => {
    write('elsewhere/a.md', header('description: one'))
    utimesSync(at('elsewhere/a.md'), longAgo, longAgo)
    mkdirSync(at('.claude/agents'), { recursive: true })
    const agents = createAgents({ project: root })
    expect(agents.list()).toEqual([])
    renameSync(at('elsewhere/a.md'), at('.claude/agents/a.md'))
    await turn()
    expect(agents.get('a')?.description).toBe('one')
    write('elsewhere/b.md', header('description: linked'))
    symlinkSync(at('elsewhere/b.md'), at('.claude/agents/b.md'))
    await turn()
    expect(agents.get('b')?.description).toBe('linked')
    write('elsewhere/b.md', header('description: changed'))
    await turn()
    expect(agents.get('b')?.description).toBe('changed')
  })

  it('notices that a higher level starts and stops defining the same name', async () => {
    write('.claude/agents/a.md', header('description: claude'))
    const agents = createAgents({ project: root })
    await settled(agents)
    write('.github/agents/a.agent.md', header('description: github'))
    await turn()
    expect(agents.get('a')?.description).toBe('github')
    await settled(agents)
    rmSync(at('.github'), { recursive: true })
    await turn()
    expect(agents.get('a')?.description).toBe('claude')
  })

  it('requests built-in agents every time', async () => {
    const builtIn = (name: string): AgentDefinition => ({
      name,
      description: '',
      prompt: 'x',
      tools: { kind: 'all' },
    })
    let builtIns = [builtIn('one')]
    const agents = createAgents({ project: root, builtIns: () => builtIns })
    const list = agents.list()
    await turn()
    expect(agents.list()).toBe(list)
    builtIns = [builtIn('two')]
    await turn()
    expect(agents.list().map(({ name }) => name)).toEqual(['two'])
  })
})
