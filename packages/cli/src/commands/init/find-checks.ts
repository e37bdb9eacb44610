import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isObject } from '@cadre/core'

/** Command lines, by what they check. */
export interface Checks {
  readonly lint: readonly string[]
  readonly build: readonly string[]
  readonly unit: readonly string[]
  readonly integration: readonly string[]
}

/** Finds the checks of a project in the files of its build tools. Runs nothing; an unreadable file has none. */
export function findChecks(project: string): Checks {
  const found = [nodeChecks, pythonChecks, cargoChecks, goChecks, makeChecks].map((find) => find(project))
  const all = (kind: keyof Checks) => [...new Set(found.flatMap((checks) => checks[kind] ?? []))]
  return { lint: all('lint'), build: all('build'), unit: all('unit'), integration: all('integration') }
}

const names = {
  lint: ['lint', 'typecheck', 'type-check', 'check'],
  build: ['build'],
  unit: ['test', 'test:unit', 'test-unit', 'unit'],
  integration: ['test:integration', 'test-integration', 'integration', 'test:e2e', 'test-e2e', 'e2e'],
} as const

/** The default test script of `npm init`, which fails and tests nothing. */
const placeholder = /no test specified/

function nodeChecks(project: string): Partial<Checks> {
  const manifest = jsonOf(read(project, 'package.json'))
  const scripts = isObject(manifest['scripts']) ? manifest['scripts'] : {}
  const has = (name: string) => typeof scripts[name] === 'string' && !placeholder.test(scripts[name])
  const manager = managerOf(project, manifest['packageManager'])
  const run = (name: string) =>
    name === 'test' && manager !== 'bun' ? `${manager} test` : `${manager} run ${name}`
  return checksByName((name) => (has(name) ? run(name) : undefined))
}

function managerOf(project: string, said: unknown): string {
  const named = typeof said === 'string' ? /^(?:npm|pnpm|yarn|bun)(?=@)/.exec(said)?.[0] : undefined
  if (named !== undefined) return named
  const locks = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' }
  return Object.entries(locks).find(([file]) => hasFile(project, file))?.[1] ?? 'npm'
}

function pythonChecks(project: string): Partial<Checks> {
  const settings = read(project, 'pyproject.toml')
  const others = ['setup.cfg', 'tox.ini', 'requirements.txt', 'requirements-dev.txt']
  const texts = [settings, ...others.map((file) => read(project, file))]
  const usesPytest =
    ['pytest.ini', 'conftest.py', 'tests/conftest.py'].some((file) => hasFile(project, file)) ||
    texts.some((text) => /\bpytest\b/.test(text))
  const prefix = hasFile(project, 'uv.lock')
    ? 'uv run '
    : hasFile(project, 'poetry.lock')
      ? 'poetry run '
      : ''
  const usesRuff = hasFile(project, 'ruff.toml') || /^\[tool\.ruff/m.test(settings)
  const usesMypy = hasFile(project, 'mypy.ini') || /^\[tool\.mypy/m.test(settings)
  return {
    lint: [...(usesRuff ? [`${prefix}ruff check .`] : []), ...(usesMypy ? [`${prefix}mypy .`] : [])],
    unit: usesPytest ? [prefix === '' ? 'python -m pytest' : `${prefix}pytest`] : [],
  }
}

function cargoChecks(project: string): Partial<Checks> {
  return hasFile(project, 'Cargo.toml') ? { build: ['cargo build'], unit: ['cargo test'] } : {}
}

function goChecks(project: string): Partial<Checks> {
  if (!hasFile(project, 'go.mod')) return {}
  return { lint: ['go vet ./...'], build: ['go build ./...'], unit: ['go test ./...'] }
}

function makeChecks(project: string): Partial<Checks> {
  const text = ['GNUmakefile', 'makefile', 'Makefile'].map((file) => read(project, file)).join('\n')
  const targets = new Set(
    [...text.matchAll(/^([\w-]+(?: [\w-]+)*)\s*:(?![:=])/gm)].flatMap(([, all = '']) => all.split(' ')),
  )
  return checksByName((name) => (targets.has(name) ? `make ${name}` : undefined))
}

function checksByName(commandOf: (name: string) => string | undefined): Checks {
  const of = (kind: keyof Checks) => names[kind].flatMap((name) => commandOf(name) ?? [])
  return { lint: of('lint'), build: of('build'), unit: of('unit'), integration: of('integration') }
}

function hasFile(project: string, file: string): boolean {
  return existsSync(path.join(project, file))
}

function read(project: string, file: string): string {
  try {
    return readFileSync(path.join(project, file), 'utf8')
  } catch {
    return ''
  }
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}
