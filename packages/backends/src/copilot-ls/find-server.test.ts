import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findServer } from './find-server.ts'

describe('finding the server', () => {
  const folder = () => {
    const made = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-find-')))
    onTestFinished(() => rmSync(made, { recursive: true, force: true }))
    return made
  }
  const install = (root: string) => {
    const github = path.join(root, 'node_modules', '@github')
    const native = path.join(github, `copilot-language-server-${process.platform}-${process.arch}`)
    const dist = path.join(github, 'copilot-language-server', 'dist')
    for (const made of [native, dist]) mkdirSync(made, { recursive: true })
    const program = path.join(native, `copilot-language-server${process.platform === 'win32' ? '.exe' : ''}`)
    writeFileSync(program, '')
    chmodSync(program, 0o755)
    writeFileSync(path.join(dist, 'language-server.js'), '')
    return { program, script: path.join(dist, 'language-server.js') }
  }

  it('prefers the configured one, and uses no other instead', () => {
    const { program } = install(folder())
    expect(findServer({ env: {}, configured: program })).toEqual({ command: program, args: ['--stdio'] })
    expect(findServer({ env: { CADRE_COPILOT_SERVER: program } })).toEqual({
      command: program,
      args: ['--stdio'],
    })
    expect(findServer({ env: { PATH: path.dirname(program) }, configured: '/nowhere' })).toBeUndefined()
    // A cloned folder could contain a program with that name.
    const relative = path.relative(process.cwd(), program)
    expect(findServer({ env: {}, configured: relative })).toBeUndefined()
    expect(findServer({ env: { CADRE_COPILOT_SERVER: relative } })).toBeUndefined()
  })

  it('runs the program of a package, not its start script', () => {
    const root = folder()
    const { program, script } = install(root)
    const bin = path.join(root, 'bin')
    mkdirSync(bin)
    symlinkSync(script, path.join(bin, 'copilot-language-server'))
    expect(findServer({ env: { PATH: `relative:${bin}` } })).toEqual({ command: program, args: ['--stdio'] })
  })

  it('finds the one that Cadre installed', () => {
    const data = folder()
    const { program } = install(path.join(data, 'cadre', 'copilot'))
    expect(findServer({ env: { XDG_DATA_HOME: data } })).toEqual({ command: program, args: ['--stdio'] })
  })
})
