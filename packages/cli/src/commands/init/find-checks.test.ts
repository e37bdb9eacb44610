import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findChecks } from './find-checks.ts'

function checksOf(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-checks-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const found = Object.entries(findChecks(folder)).filter(([, commands]) => commands.length > 0)
  return Object.fromEntries(found)
}

const scripts = (all: object) => JSON.stringify({ scripts: all })

test.each<[string, Readonly<Record<string, string>>, object]>([
  ['nothing', {}, {}],
  [
    'npm',
    {
      'package.json': scripts({ test: 'vitest', lint: 'eslint .', build: 'tsc', e2e: 'playwright', x: 'y' }),
    },
    { lint: ['npm run lint'], build: ['npm run build'], unit: ['npm test'], integration: ['npm run e2e'] },
  ],
  ['pnpm', { 'package.json': scripts({ test: 'x' }), 'pnpm-lock.yaml': '' }, { unit: ['pnpm test'] }],
  ['yarn', { 'package.json': scripts({ test: 'x' }), 'yarn.lock': '' }, { unit: ['yarn test'] }],
  ['bun', { 'package.json': scripts({ test: 'x' }), 'bun.lock': '' }, { unit: ['bun run test'] }],
  [
    'the manager that package.json names',
    { 'package.json': JSON.stringify({ packageManager: 'pnpm@9.0.0', scripts: { 'test:unit': 'x' } }) },
    { unit: ['pnpm run test:unit'] },
  ],
  [
    'the test that npm init writes',
    { 'package.json': scripts({ test: 'echo "Error: no test specified"' }) },
    {},
  ],
  ['a broken package.json', { 'package.json': '{' }, {}],
  ['pytest', { 'pytest.ini': '' }, { unit: ['python -m pytest'] }],
  [
    'pytest with uv, ruff and mypy',
    { 'pyproject.toml': '[tool.ruff]\n[tool.mypy]\n[tool.pytest.ini_options]\n', 'uv.lock': '' },
    { lint: ['uv run ruff check .', 'uv run mypy .'], unit: ['uv run pytest'] },
  ],
  ['pytest with poetry', { 'tests/conftest.py': '', 'poetry.lock': '' }, { unit: ['poetry run pytest'] }],
  ['cargo', { 'Cargo.toml': '' }, { build: ['cargo build'], unit: ['cargo test'] }],
  ['go', { 'go.mod': '' }, { lint: ['go vet ./...'], build: ['go build ./...'], unit: ['go test ./...'] }],
  [
    'make',
    { Makefile: 'lint build: a\n\tx\ntest: build\n\ty\ncheck := 1\n.PHONY: e2e\n' },
    { lint: ['make lint'], build: ['make build'], unit: ['make test'] },
  ],
])('%s', (_, files, expected) => {
  expect(checksOf(files)).toEqual(expected)
})
