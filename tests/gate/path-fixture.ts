import { linkSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createPathResolver, type PathResolver } from '@cadre/gate'

/** A workspace full of traps, and its surroundings. */
export interface PathFixture {
  readonly out: string
  readonly ws: string
  readonly user: string
  readonly places: PathResolver
}

/** The artifact of the agent named mine. */
export const own = '.github/hooks/artifacts/mine.md'

export function createPathFixture(): PathFixture {
  const out = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-paths-')))
  const ws = path.join(out, 'workspace')
  const user = path.join(out, 'user')
  const write = (file: string, content = 'x') => {
    mkdirSync(path.dirname(path.join(ws, file)), { recursive: true })
    writeFileSync(path.join(ws, file), content)
  }
  mkdirSync(path.join(user, '.ssh'), { recursive: true })
  mkdirSync(path.join(out, 'workspace-two'))
  mkdirSync(path.join(out, 'elsewhere'))
  writeFileSync(path.join(user, '.ssh', 'id'), 'the secret')
  writeFileSync(path.join(out, 'secret.txt'), 'the secret')
  for (const file of [
    'src/a.txt',
    'odd\\name.txt',
    'deep/x',
    'sub/y',
    '.git/config',
    '.github/hooks/pre.json',
    '.github/agents/a.agent.md',
    '.github/copilot/settings.json',
    '.vscode/settings.json',
    '.mcp.json',
    'my-home/storage/policy.yaml',
    'my-home/workspaces/one/x',
    'real-claude/settings.json',
    'docs/linked-agent.md',
    own,
  ])
    write(file)
  const link = (target: string, at: string) => symlinkSync(target.replace('OUT', out), path.join(ws, at))
  link('a.txt', 'src/link-inside')
  link('src', 'dir-inside')
  link('../secret.txt', 'link-out')
  link('OUT/secret.txt', 'link-out-absolute')
  link('../elsewhere', 'folder-out')
  link('link-out', 'link-to-link')
  link('../elsewhere/new.txt', 'dangling-out')
  link('..', 'up')
  link('../..', 'deep/up-two')
  for (let i = 1; i < 20; i++) link(i === 19 ? '../secret.txt' : `chain-${i + 1}`, `chain-${i}`)
  link('loop-b', 'loop-a')
  link('loop-a', 'loop-b')
  link('self', 'self')
  link('/proc/self/cwd', 'proc-link')
  link('/proc/self/root', 'proc-root')
  link('my-home', 'home-link')
  link('.git', 'link-git')
  link('.github', 'link-github')
  link('.mcp.json', 'link-file')
  link('.github/hooks/new.json', 'link-new-hook')
  link('link-git', 'nested-link')
  link('.git/config', 'link-config')
  link('real-claude', '.claude')
  link('../../docs/linked-agent.md', '.github/agents/linked.agent.md')
  link(own, 'link-mine')
  linkSync(path.join(ws, '.mcp.json'), path.join(ws, 'src', 'hard.json'))
  linkSync(path.join(ws, '.github/agents/a.agent.md'), path.join(ws, 'src', 'hard-agent.md'))
  symlinkSync(ws, path.join(out, 'alias'))
  const places = createPathResolver({ home: path.join(ws, 'my-home'), userHome: user, project: ws })
  return { out, ws, user, places }
}

/** A path of the tables, with the names of this ground. */
export const expandNames = (given: string, { out, ws, user }: PathFixture) =>
  given
    .replaceAll(/\bWS\b/g, ws)
    .replace(/rootWS/, `root${ws}`)
    .replaceAll(/\bALIAS\b/g, path.join(out, 'alias'))
    .replaceAll(/\bHOME\b/g, 'my-home')
    .replaceAll(/\bUSER\b/g, user)
    .replaceAll(/\bOUT\b/g, out)
