import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createAgents } from '@cadre/agents'
import { expect, it, onTestFinished } from 'vitest'
import { agentPlaces, readablePlaces } from './agent-places.ts'

function project() {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-places-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const name of ['.git', 'packages/app', '.cadre/templates', 'chosen/templates', 'nobody'])
    mkdirSync(path.join(root, name), { recursive: true })
  const agent = (name: string) => `name: ${name}\ndescription: d\nprompt: Work.\n`
  writeFileSync(path.join(root, '.cadre/templates/above.agent.yaml'), agent('above'))
  writeFileSync(path.join(root, 'chosen/templates/chosen.agent.yaml'), agent('chosen'))
  const folder = path.join(root, 'packages', 'app')
  const names = (env: NodeJS.ProcessEnv) =>
    createAgents(
      agentPlaces(path.join(folder, 'a.agent.md'), folder, { HOME: path.join(root, 'nobody'), ...env }),
    )
      .list()
      .map(({ name }) => name)
  return { root, names }
}

it('finds the agents of a home above the folder', () => {
  expect(project().names({})).toEqual(['above'])
})

it('finds the agents of a configured home', () => {
  const { root, names } = project()
  expect(names({ CADRE_HOME: path.join(root, 'chosen') })).toEqual(['chosen'])
})

it('reads nothing from an untrusted workspace or home', () => {
  const places = { userHome: '/home/me', project: '/r', home: '/r/.cadre' }
  expect(readablePlaces(places, { isTrusted: false, homes: ['/r/.cadre'] })).toEqual({ userHome: '/home/me' })
  expect(readablePlaces(places, { isTrusted: true, homes: ['/other'] })).toEqual({
    userHome: '/home/me',
    project: '/r',
  })
  expect(readablePlaces(places, { isTrusted: true, homes: ['/r/.cadre'] })).toEqual(places)
})
