import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { createProject, type Project } from '../../cli/support/project.ts'
import { type FakeGitHub, startFakeGitHub } from './fake-github.ts'
import { addDeviceFlow, type FakeSignIn } from './fake-sign-in.ts'
import { startGitHubProxy } from './github-proxy.ts'
import { serverPackage } from './server-command.ts'

export interface SignInWorld {
  readonly github: FakeGitHub
  readonly signIn: FakeSignIn
  /** Its folder is also the user's home. */
  readonly project: Project
  /** For commands: the fake GitHub, and the language server that the tests installed. */
  readonly env: Record<string, string>
  /** Files below the user's home that contain the text, except for the language server's token files. */
  filesWith(text: string): string[]
}

/** A user on a machine on which every address leads to the fake GitHub. */
export async function signInWorld(files: Record<string, string | object> = {}): Promise<SignInWorld> {
  const github = await startFakeGitHub(() => ({ text: 'Hello.' }))
  const proxy = await startGitHubProxy(github.url)
  onTestFinished(async () => {
    await proxy.close()
    await github.close()
  })
  const project = createProject(files)
  return {
    github,
    signIn: addDeviceFlow(github),
    project,
    env: { ...proxy.env, CADRE_COPILOT_SERVER: serverPackage() },
    filesWith: (text) =>
      readdirSync(project.path, { recursive: true, encoding: 'utf8' })
        .map((name) => path.join(project.path, name))
        .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true)
        .filter(
          (file) => !/github-copilot\/(auth\.db|apps\.json)/.test(file) && readFileSync(file).includes(text),
        ),
  }
}

/** The children of a process. */
export function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean)
    .map(Number)
}
