import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findUnsafeGitSetting } from './plain-repository.ts'

let folder: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-repository-')))
  execFileSync('git', ['init', '-q'], { cwd: folder })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const configure = (text: string) => appendFileSync(path.join(folder, '.git/config'), `${text}\n`)

describe('unusualSetting', () => {
  it('accepts settings that git, an editor, husky or git-lfs write', () => {
    configure(
      '[remote "origin"]\n\turl = git@example.org:a/b.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*',
    )
    configure(
      '[branch "main"]\n\tremote = origin\n\tmerge = refs/heads/main\n\tvscode-merge-base = origin/main',
    )
    configure('[core]\n\thooksPath = .husky/_\n[user]\n\tname = A "B" C\n\temail = a@example.org')
    configure(
      '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n\trequired = true',
    )
    configure('[submodule "a"]\n\tactive = true\n\turl = https://example.org/a.git\n[pull]\n\trebase = true')
    expect(findUnsafeGitSetting(folder)).toBeUndefined()
    expect(findUnsafeGitSetting('/')).toBeUndefined()
  })

  it.each([
    ['[filter "x"]\n\tclean = ./evil', 'filter.x.clean'],
    ['[filter "x"]\n\tprocess = ./evil', 'filter.x.process'],
    ['[filter "lfs"]\n\tclean = ./git-lfs clean -- %f', 'filter.lfs.clean'],
    ['[gpg]\n\tprogram = ./evil', 'gpg.program'],
    ['[gpg "ssh"]\n\tprogram = ./evil', 'gpg.ssh.program'],
    ['[pretty]\n\tmy = %G?', 'pretty.my'],
    ['[format]\n\tpretty = %G?', 'format.pretty'],
    ['[diff "y"]\n\ttextconv = ./evil', 'diff.y.textconv'],
    ['[diff]\n\texternal = ./evil', 'diff.external'],
    ['[core]\n\tworktree = /', 'core.worktree'],
    ['[core]\n\tsshCommand = ./evil', 'core.sshcommand'],
    ['[core]\n\tgitProxy = ./evil', 'core.gitproxy'],
    ['[core]\n\talternateRefsCommand = ./evil', 'core.alternaterefscommand'],
    ['[remote "o"]\n\turl = ext::./evil', 'remote.o.url'],
    ['[remote "o"]\n\turl = "ext::./evil"', 'remote.o.url'],
    ['[remote "o"]\n\tuploadpack = ./evil', 'remote.o.uploadpack'],
    ['[remote "o"]\n\tvcs = evil', 'remote.o.vcs'],
    ['[include]\n\tpath = ../evil', 'include.path'],
    ['[includeIf "gitdir:/"]\n\tpath = ../evil', 'includeif.gitdir:/.path'],
    ['[alias]\n\tstatus = !./evil', 'alias.status'],
    ['[uploadpack]\n\tpackObjectsHook = ./evil', 'uploadpack.packobjectshook'],
    ['[merge "x"]\n\tdriver = ./evil', 'merge.x.driver'],
    ['[interactive]\n\tdiffFilter = ./evil', 'interactive.difffilter'],
    ['[protocol "ext"]\n\tallow = always', 'protocol.ext.allow'],
    ['[core]\n\tpager = a\\\nb', 'core.?'],
    ['[filter "x"] clean = ./evil', 'core.?'],
  ])('finds %j', (text, key) => {
    configure(text)
    expect(findUnsafeGitSetting(folder)).toContain(key.split('.').at(-1))
    expect(findUnsafeGitSetting(folder)).toMatch(/\./)
  })

  it('checks the repository that git would find: from a subfolder, through links, worktrees and files that point to it', () => {
    mkdirSync(path.join(folder, 'a/b'), { recursive: true })
    symlinkSync('a/b', path.join(folder, 'link'))
    configure('[gpg]\n\tprogram = ./evil')
    expect(findUnsafeGitSetting(path.join(folder, 'a/b'))).toBe('gpg.program')
    expect(findUnsafeGitSetting(path.join(folder, 'link/..'))).toBe('gpg.program')
    const other = path.join(folder, 'other')
    mkdirSync(other)
    writeFileSync(path.join(other, '.git'), 'gitdir: ../.git\n')
    expect(findUnsafeGitSetting(other)).toBe('gpg.program')
  })

  it('notices a setting that is added later', () => {
    expect(findUnsafeGitSetting(folder)).toBeUndefined()
    configure('[gpg]\n\tprogram = ./evil')
    expect(findUnsafeGitSetting(folder)).toBe('gpg.program')
  })
})
