import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { filesBelow, type ReadFile, readFile, realAgents, samples } from './support/agent-corpus.ts'
import { differencesFrom } from './support/compare-label.ts'
import { crudeHeader, hasHeader } from './support/crude-header.ts'
import { readLabels } from './support/labels.ts'
import { type StrictAgent, strictAgent } from './support/strict-header.ts'
import { byDialect } from './support/table.ts'
import { wideningOf } from './support/widening.ts'

describe('the sample files of every dialect', () => {
  claimsAbout(samples)
})

describe.skipIf(realAgents === undefined)(
  'real agent files (skipped unless CADRE_CORPORA names them)',
  () => {
    const { files, strict } = claimsAbout(realAgents)
    const labels = readLabels()
    const labelled = new Set(labels.map(({ path }) => path))

    it('loads at least 99 of 100 that have a header', () => {
      const headed = files().filter(({ path, text }) => hasHeader(path, text))
      const failed = headed.filter(({ status }) => status === 'failed')
      expect(headed.length).toBeGreaterThan(0)
      expect(
        failed.length / headed.length,
        first(failed.map((file) => `${file.path}: ${file.read.diagnostics[0]?.message}`)),
      ).toBeLessThanOrEqual(0.01)
    })

    it('reads every labelled file as its label says', () => {
      const byPath = new Map(files().map((file) => [file.path, file]))
      const here = labels.filter(({ path }) => byPath.has(path))
      console.log(
        `${here.length} labelled files were checked, ${labels.length - here.length} are not in this corpus.`,
      )
      nothing(
        here.flatMap((label) =>
          differencesFrom(label, byPath.get(label.path)!).map((fault) => `${label.path}: ${fault}`),
        ),
      )
    })

    afterAll(() => {
      const equal = files().filter((file) => {
        const expected = strict().get(file.path)
        return expected !== undefined && differences(expected, file).length === 0
      })
      const marks = {
        strict: new Set(strict().keys()),
        equal: new Set(equal.map(({ path }) => path)),
        labelled,
      }
      console.log(byDialect(files(), marks))
    })
  },
)

/** What must be true for any file, judged without the loader. */
function claimsAbout(folder: string | undefined) {
  const files = once(() => filesBelow(folder).map(readFile))
  const strict = once(() => {
    const agents = files().map(({ path, text }) => [path, strictAgent(path, text)] as const)
    return new Map(agents.filter((entry): entry is [string, StrictAgent] => entry[1] !== undefined))
  })

  it('ends with a verdict, and a failure has a reason and a line', () => {
    expect(files().length).toBeGreaterThan(0)
    nothing(
      files().flatMap(({ path, read: { agent, diagnostics, dialect } }) => {
        const errors = diagnostics.filter(({ severity }) => severity === 'error')
        const reasoned = errors.some(
          ({ message, line }) => message.length > 10 && line !== undefined && line >= 1,
        )
        if (dialect === '') return [`${path}: has no dialect`]
        if (agent === undefined) return reasoned ? [] : [`${path}: failed without a reason or a line`]
        return errors.length === 0 ? [] : [`${path}: loaded, and yet ${errors[0]?.message}`]
      }),
    )
  })

  it('names only existing lines', () => {
    nothing(
      files().flatMap(({ path, text, read }) =>
        read.diagnostics
          .filter(({ line = 1 }) => line < 1 || line > text.split(/\r\n|\r|\n/).length)
          .map(({ line, code }) => `${path}: ${code} on line ${line}`),
      ),
    )
  })

  it('reads valid YAML as YAML', () => {
    nothing(
      files().flatMap((file) => {
        const expected = strict().get(file.path)
        return expected === undefined
          ? []
          : differences(expected, file).map((fault) => `${file.path}: ${fault}`)
      }),
    )
  })

  it('reports every rescue with a warning and a line', () => {
    nothing(
      files()
        .filter(({ status }) => status === 'rescued')
        .filter(({ read: { diagnostics } }) => {
          const warnings = diagnostics.filter(({ severity }) => severity === 'warning')
          return !warnings.some(({ line, message }) => line !== undefined && message !== '')
        })
        .map(({ path }) => path),
    )
  })

  it('grants no agent more than its header declares', () => {
    nothing(
      files().flatMap(({ path, text, read: { agent } }) => {
        const header = crudeHeader(path, text)
        if (agent === undefined || header === undefined) return []
        return wideningOf(agent, header, 'value').map((fault) => `${path}: ${fault}`)
      }),
    )
  })

  it('repairs a rescued file into one with the same agent that needs no rescue', () => {
    nothing(
      files().flatMap(({ path, read: { repaired, agent } }) => {
        if (repaired === undefined) return []
        const again = readFile({ path, text: repaired })
        if (again.status !== 'ok') return [`${path}: ${again.status} again`]
        return same(again.read.agent, agent) ? [] : [`${path}: becomes another agent`]
      }),
    )
  })

  return { files, strict }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Names and models as written; trimmed texts; no tools and an empty list are equal. */
function differences(expected: StrictAgent, { read: { agent }, status }: ReadFile): string[] {
  if (agent === undefined) return ['failed, though it is written as it should be']
  // The order of tools does not matter.
  const sorted = (tools: 'all' | readonly string[]) => (tools === 'all' ? tools : tools.toSorted())
  const faults = status === 'ok' ? [] : ['rescued, though it is written as it should be']
  const compare = (what: string, ours: unknown, theirs: unknown) => {
    if (JSON.stringify(ours) !== JSON.stringify(theirs))
      faults.push(`${what} is ${show(ours)}, and YAML says ${show(theirs)}`)
  }
  compare('name', agent.name, expected.name)
  compare('description', agent.description.trim(), expected.description)
  compare('tools', sorted(agent.tools.kind === 'all' ? 'all' : agent.tools.names), sorted(expected.tools))
  compare('model', agent.models ?? [], expected.models)
  return faults
}

/** Its position in the file is not part of an agent. */
function same(a: object | undefined, b: object | undefined): boolean {
  return isDeepStrictEqual({ ...a, source: undefined }, { ...b, source: undefined })
}

function nothing(faults: readonly string[]): void {
  expect(faults.length, first(faults)).toBe(0)
}

function first(faults: readonly string[]): string {
  return `${faults.length} files:\n${faults.slice(0, 10).join('\n')}\n`
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 160) ?? 'nothing'
}
