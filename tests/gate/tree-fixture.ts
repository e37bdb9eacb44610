import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { AgentDefinition } from '@cadre/core'
import { createGuard, findHooks, findPermissions, type Guard } from '@cadre/gate'
import { loadPolicy, openHome } from '@cadre/home'
import { agentsOf } from '@cadre/testing'
import { onTestFinished } from 'vitest'
import type { Control } from './tree-controls.ts'

/** A workspace, its surroundings, and all rules of a run, assembled as in a run. */
export interface TreeFixture {
  readonly workspace: string
  /** The rules, read again from the files, as in each process. */
  guard(agents: readonly AgentDefinition[], home: string): Promise<Guard>
  /** Every file with its content, except for the home. */
  files(): string[]
}

export function createTreeFixture({
  files = {},
  policy = '',
  allowlist = '',
  noHuman,
  untrusted,
}: Partial<Control>): TreeFixture {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-tree-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const workspace = path.join(folder, 'workspace')
  const user = path.join(folder, 'user')
  const write = (file: string, content: string) => {
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  mkdirSync(path.join(workspace, 'secret'), { recursive: true })
  for (const [name, content] of Object.entries(files))
    write(path.join(workspace, name), JSON.stringify(content))
  write(path.join(user, 'policy.yaml'), policy)
  write(path.join(user, 'allowlist.yaml'), allowlist)
  return {
    workspace,
    async guard(agents, home) {
      const trusted = () => untrusted !== true
      return createGuard({
        home: openHome({ home, cwd: workspace, env: {} }),
        userHome: user,
        userAllowlist: path.join(user, 'allowlist.yaml'),
        folder: { folder: workspace, trusted: untrusted !== true },
        trusted,
        policy: await loadPolicy({
          organisation: path.join(folder, 'none'),
          user: path.join(user, 'policy.yaml'),
        }),
        // Everything else is allowed, so that only the control can refuse.
        allow: ['write', 'execute'],
        noHuman,
        sandbox: { kind: 'none', reason: 'nothing is run' },
        hooks: findHooks({ project: workspace, userHome: user, trusted }),
        permissions: findPermissions({ project: workspace, userHome: user, trusted }),
        agents: agentsOf(agents),
        environment: { PATH: process.env['PATH'] },
        tell: () => {},
      })
    },
    files: () =>
      readdirSync(folder, { recursive: true, withFileTypes: true, encoding: 'utf8' })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .map((file) => `${path.relative(folder, file)} ${readFileSync(file, 'utf8')}`)
        .sort(),
  }
}
