import { chmodSync } from 'node:fs'
import path from 'node:path'
import { sdkPackage as sdk, serverPackage as server } from '@cadre/backends'
import { expect, it } from 'vitest'
import { hasScript, openTerminal } from '../cli/support/terminal.ts'
import { serverPackage } from './support/server-command.ts'
import { type SignInWorld, signInWorld } from './support/sign-in-world.ts'

/** A machine without the language server, on which npm copies the package from the tests instead of using a registry. */
async function machine(): Promise<SignInWorld & { readonly folder: string }> {
  const world = await signInWorld()
  const source = path.dirname(path.dirname(serverPackage()))
  const npm = world.project.write('bin/npm', `#!/bin/sh\nln -s '${source}' "$3/node_modules"\n`)
  chmodSync(npm, 0o755)
  const { CADRE_COPILOT_SERVER: _, ...env } = world.env
  return {
    ...world,
    folder: world.project.at('.local/share/cadre/copilot'),
    env: { ...env, PATH: `${path.dirname(npm)}:${path.dirname(process.execPath)}:/usr/bin:/bin` },
  }
}

it('is installed with --yes, and signed in to', async () => {
  const { project, env, folder } = await machine()
  const { code, json } = await project.cadre(['login', '--yes', '--sdk', '--json'], { ownProcess: true, env })
  const packages = [server, sdk].map(({ name, version }) => `${name}@${version}`)
  expect(json()).toMatchObject([
    { type: 'installing', packages, folder },
    { type: 'installed', packages, folder },
    { type: 'code' },
    { type: 'login', status: 'signed-in' },
  ])
  expect(code).toBe(0)
})

it.runIf(hasScript)('is offered in a terminal, where it can be declined', async () => {
  const { project, env, folder, signIn } = await machine()
  const refused = openTerminal(project, ['login'], { env, columns: 400 })
  await refused.until((screen) => screen.includes('? y/N: '))
  refused.type('n\r')
  await refused.until((screen) => screen.includes('Nothing was installed.'))
  expect(await refused.ended()).toBe(2)
  expect(project.exists('.local/share/cadre/copilot')).toBe(false)
  const taken = openTerminal(project, ['login'], { env, columns: 400 })
  await taken.until((screen) => screen.includes('? y/N: '))
  taken.type('y\r')
  await taken.until((screen) => screen.includes(`Installed in ${folder}`) && screen.includes(signIn.code))
  expect(await taken.ended()).toBe(0)
})
