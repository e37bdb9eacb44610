import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import vm from 'node:vm'
import type { AgentDefinition } from '@cadre/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { amount } from '../support/amount.ts'
import { type CorpusFile, filesBelow, readFile, realAgents, samples } from './support/agent-corpus.ts'
import { crudeHeader } from './support/crude-header.ts'
import { pickMutation } from './support/mutate.ts'
import { randomFrom } from './support/random.ts'
import { wideningOf } from './support/widening.ts'

const seed = Number(process.env['CADRE_SEED'] ?? 1)
const many = amount({ usual: 80, deep: 10_000 })
const source = realAgents === undefined ? 'our own files' : 'the files of CADRE_CORPORA'
/** Text far down in a file does not affect its header, and costs time. */
const maxLength = 6_000

/** The samples are few and deliberate, so they are a quarter of the mutated files. */
type Originals = readonly (readonly CorpusFile[])[]
type Claim = 'ends' | 'says why' | 'widens nothing' | 'repairs'

describe(`${many} mutations of ${source}, CADRE_SEED=${seed}`, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-mutations-'))
  const before = process.cwd()
  const faults = new Map<Claim, string[]>()
  const reads = { ok: 0, rescued: 0, failed: 0, repaired: 0 }

  beforeAll(() => {
    // Where a command that ran after all would leave its mark.
    process.chdir(folder)
    const own = filesBelow(samples).map(shorten)
    const originals =
      realAgents === undefined ? [own] : [own, ...Array(3).fill(filesBelow(realAgents).map(shorten))]
    let index = 0
    const goOn = () => {
      for (const end = index + 500; index < end && index < many; index++) examine(index, originals)
    }
    while (index < many) {
      if (!endsInTime(goOn)) fault('ends', index++, originals, 'does not end')
    }
    console.log(`CADRE_SEED=${seed}: ${JSON.stringify(reads)}`)
  }, 900_000)

  afterAll(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true, force: true })
  })

  function examine(index: number, originals: Originals): void {
    const file = mutant(index, originals)
    try {
      const { read, status } = readFile(file)
      reads[status]++
      const { agent, diagnostics, repaired } = read
      if (agent === undefined) {
        const reasons = diagnostics.filter(({ severity, line }) => severity === 'error' && line !== undefined)
        if (reasons.length === 0) fault('says why', index, originals, 'fails without an error on a line')
        return
      }
      if (status === 'rescued' && !diagnostics.some(({ severity }) => severity === 'warning'))
        fault('says why', index, originals, 'is rescued without a warning')
      const header = crudeHeader(file.path, file.text)
      for (const what of header === undefined ? [] : wideningOf(agent, header, 'header'))
        fault('widens nothing', index, originals, what)
      if (repaired !== undefined) {
        reads.repaired++
        const again = readFile({ path: file.path, text: repaired })
        if (again.status !== 'ok') fault('repairs', index, originals, `${again.status} again`)
        else if (!isDeepStrictEqual(permissionsOf(again.read.agent), permissionsOf(agent)))
          fault('repairs', index, originals, 'permits something else when repaired')
      }
    } catch (error) {
      fault('ends', index, originals, `throws ${String(error)}`)
    }
  }

  function fault(claim: Claim, index: number, originals: Originals, what: string): void {
    const file = mutant(index, originals)
    const known = faults.get(claim) ?? []
    known.push(
      `${index} (${file.path}; ${file.changes.join(', ')}): ${what}\n${JSON.stringify(file.text.slice(0, 400))}`,
    )
    faults.set(claim, known)
  }

  const claim = (which: Claim) => {
    const found = faults.get(which) ?? []
    expect(found.length, `${found.length} mutations:\n${found.slice(0, 10).join('\n')}\n`).toBe(0)
  }

  it('never throws and always ends', () => claim('ends'))
  it('reports why and where a file fails or is rescued', () => claim('says why'))
  it('never permits more than the readable part of the header', () => claim('widens nothing'))
  it('repairs into something that permits the same', () => claim('repairs'))

  it('covers all possible results', () => {
    expect(Math.min(...Object.values(reads))).toBeGreaterThan(0)
  })

  it('runs nothing that it reads', () => {
    expect(Reflect.get(globalThis, 'cadreMarker')).toBeUndefined()
    expect(Reflect.get({}, 'cadreMarker')).toBeUndefined()
    expect(existsSync(path.join(folder, 'cadre-marker'))).toBe(false)
  })
})

/** Each number is an independent mutation. */
function mutant(index: number, originals: Originals): CorpusFile & { readonly changes: string[] } {
  const random = randomFrom(seed * 1_000_003 + index)
  const { path, text } = random.pick(random.pick(originals))
  const changes: string[] = []
  let changed = text
  for (let left = 1 + random.below(4); left > 0; left--) {
    const mutation = pickMutation(random)
    changes.push(mutation.name)
    changed = mutation.apply(changed, random, random.pick(random.pick(originals)).text)
  }
  return { path, text: changed, changes }
}

function shorten({ path, text }: CorpusFile): CorpusFile {
  return { path, text: text.slice(0, maxLength) }
}

function permissionsOf(agent: AgentDefinition | undefined) {
  const { tools, disallowedTools, permissions, delegates, limits, userInvocable, modelInvocable } =
    agent ?? {}
  return { tools, disallowedTools, permissions, delegates, limits, userInvocable, modelInvocable }
}

/**
 * An infinite loop cannot be stopped from within, but the JavaScript engine can stop it. Generous, because it is not a
 * benchmark.
 */
function endsInTime(work: () => void): boolean {
  Reflect.set(globalThis, 'cadreWork', work)
  try {
    vm.runInThisContext('cadreWork()', { timeout: 60_000 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      return false
    throw error
  } finally {
    Reflect.deleteProperty(globalThis, 'cadreWork')
  }
}
