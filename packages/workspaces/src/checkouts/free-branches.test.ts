import { expect, it } from 'vitest'
import { freeBranches } from './free-branches.ts'

const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string]
const name = 'cadre/lead-1'
const known = { branch: name, commit: one }

it.each([
  ['a free name', {}, {}, { branch: name, update: { expected: undefined } }],
  ["somebody else's branch", { [name]: two }, {}, { branch: `${name}-2`, update: { expected: undefined } }],
  ['its own branch', { [name]: one }, { known }, { branch: name, update: { expected: one } }],
  ['its own branch, changed by a person', { [name]: two }, { known }, { branch: `${name}-2` }],
  ['its own branch, removed by a person', {}, { known }, { branch: name, update: { expected: undefined } }],
  ['a branch above the name', { cadre: two }, {}, { branch: 'cadre-lead-1' }],
  ['a branch above its own branch', { cadre: two }, { known }, { branch: 'cadre-lead-1' }],
  ['a branch below the name', { [`${name}/fix`]: two }, {}, { branch: `${name}-2` }],
  ['a branch below its own branch', { [`${name}/fix`]: two }, { known }, { branch: `${name}-2` }],
  [
    'branches below several names',
    { [`${name}/fix`]: two, [`${name}-2/fix`]: two, [`${name}-3`]: two },
    {},
    { branch: `${name}-4` },
  ],
])('%s', (_, branches, more, chosen) => {
  const refs = new Map(Object.entries(branches).map(([branch, commit]) => [`refs/heads/${branch}`, commit]))
  const [found] = freeBranches([{ name, commit: three, ...more }], { refs, defaultBranch: undefined })
  expect(found).toMatchObject(chosen)
})

it('a branch that has the commit needs no update', () => {
  const refs = new Map([[`refs/heads/${name}`, one]])
  expect(freeBranches([{ name, commit: one }], { refs, defaultBranch: undefined })).toEqual([
    { branch: name },
  ])
})

it('two branches never get the same name', () => {
  const refs = new Map([[`refs/heads/${name}`, one]])
  const wanted = [name, `${name}-2`].map((each) => ({ name: each, commit: two }))
  const chosen = freeBranches(wanted, { refs, defaultBranch: undefined }).map(({ branch }) => branch)
  expect(chosen).toEqual([`${name}-2`, `${name}-2-2`])
})
