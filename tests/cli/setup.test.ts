import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { answers, startWire, type WireOptions } from '@cadre/testing'
import { describe, expect, onTestFinished } from 'vitest'
import { sampled } from '../support/amount.ts'
import { programsWithout } from './support/programs.ts'
import { createProject } from './support/project.ts'
import { hasScript, openTerminal } from './support/terminal.ts'

const test = sampled(3)

const userFile = '.config/cadre/config.yaml'
const key = 'sk-test-0123456789abcdef'

async function serve(models: WireOptions['models'] = ['small', 'large']) {
  const wire = await startWire(answers.reply({ text: 'hello' }), { models })
  onTestFinished(() => wire.close())
  return wire
}

const portOf = (url: string) => new URL(url).port

/** A keyring that stores its secret in a file, and records its arguments. */
function fakeKeyring(isBroken = false) {
  // Programs in the project folder itself are not used.
  const folder = createProject()
  const store = folder.at('kept')
  const storing = isBroken ? 'exit 3' : `cat > ${store}`
  const program = folder.write(
    'secret-tool',
    `#!/bin/sh\necho "$@" >> ${folder.at('arguments')}\nif [ "$1" = store ]; then ${storing}; else cat ${store}; fi\n`,
  )
  chmodSync(program, 0o755)
  return { env: { PATH: `${folder.path}:${process.env['PATH']}` }, arguments: () => folder.read('arguments') }
}

describe('setup without a terminal', () => {
  test('tests the model, and stores it with its server', async () => {
    const wire = await serve()
    const project = createProject({ [userFile]: '# mine\nentry: lead\n' })
    const { code, stdout } = await project.cadre([
      'setup',
      '--backend',
      'openai',
      '--base-url',
      wire.url,
      '--model',
      'large',
      '--yes',
      '--json',
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      type: 'setup',
      model: 'openai:large',
      file: project.at(userFile),
      tested: true,
    })
    expect(readFileSync(project.at(userFile), 'utf8')).toBe(
      `# mine\nentry: lead\nmodel: "openai:large"\nopenai:\n  baseUrl: "${wire.url}"\n`,
    )
    expect(wire.requests).toHaveLength(1)
  })

  test('stores a key in the keyring: it is not in a file, an argument or the output', async () => {
    const wire = await serve()
    const project = createProject()
    const keyring = fakeKeyring()
    const { code, stdout, stderr } = await project.cadre(
      ['setup', '--backend', 'openai', '--base-url', wire.url, '--model', 'small', '--key-stdin', '--yes'],
      { env: keyring.env, input: `${key}\n` },
    )
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain('The key is in the keyring (secret-tool).')
    expect(wire.requests[0]?.headers.authorization).toBe(`Bearer ${key}`)
    const file = readFileSync(project.at(userFile), 'utf8')
    expect(file).toContain(
      `keyCommand: "secret-tool lookup service cadre account openai@127.0.0.1:${portOf(wire.url)}"`,
    )
    expect(file + stdout + keyring.arguments()).not.toContain(key)
    // A run finds it there.
    await project.cadre(['run', 'hi'], { env: keyring.env })
    expect(wire.requests.at(-1)?.headers.authorization).toBe(`Bearer ${key}`)
  })

  test('stores nothing if the keyring or the test fails', async () => {
    const wire = await serve()
    const project = createProject()
    const words = ['setup', '--backend', 'openai', '--base-url', wire.url, '--model', 'small', '--yes']
    const broken = await project.cadre([...words, '--key-stdin'], { env: fakeKeyring(true).env, input: key })
    expect(broken.code).toBe(2)
    expect(broken.stderr).toContain(
      'secret-tool failed (exit code 3). Use --key-command, or set OPENAI_API_KEY.',
    )
    const page = await startWire(answers.raw(['<html><title>Router</title>']), {
      models: answers.raw(['<html>']),
    })
    onTestFinished(() => page.close())
    const failed = await project.cadre([
      'setup',
      '--backend',
      'openai',
      '--base-url',
      page.url,
      '--model',
      'x',
      '--yes',
    ])
    expect(failed.code).toBe(5)
    expect(failed.stderr).toContain('responded with a web page: Router.')
    expect(failed.stderr).toContain('OPENAI_BASE_URL usually ends in /v1')
    expect(readdirSync(project.path)).not.toContain('.config')
  })

  test('explains what to pass if nothing is named, and lists the models', async () => {
    const wire = await serve()
    const project = createProject()
    const none = await project.cadre(['setup'])
    expect(none.code).toBe(2)
    expect(none.stderr).toContain('cadre setup --backend openai --base-url')
    const which = await project.cadre(['setup', '--backend', 'openai', '--base-url', wire.url, '--yes'])
    expect(which.stderr).toContain('choose a model with --model: openai:small, openai:large.')
  })
})

describe.skipIf(!hasScript)('setup in a terminal', () => {
  test('starts with the first run, finds a server on this machine, and the run continues', async () => {
    const wire = await serve()
    const project = createProject()
    const terminal = openTerminal(project, ['run', 'hello there'], {
      columns: 80,
      rows: 40,
      env: { CADRE_SETUP_PORTS: `Ollama:${portOf(wire.url)}` },
    })
    await terminal.until((screen) => screen.includes('Number, 1 to 5'))
    expect(terminal.screen()).toContain('No model is configured yet.')
    expect(terminal.screen()).toContain(`1  Ollama at http://127.0.0.1:${portOf(wire.url)}/v1 (2 models)`)
    terminal.type('\r')
    await terminal.until((screen) => screen.includes('part of a name [1]:'))
    terminal.type('lar\r')
    await terminal.until((screen) => screen.includes('Stored openai:large as your default model'))
    expect(await terminal.ended()).toBe(0)
    expect(wire.requests.map(({ body }) => (body as { model: string }).model)).toEqual(['large', 'large'])
    expect(readFileSync(project.at(userFile), 'utf8')).toContain('model: "openai:large"')
  })

  test('asks for another key while the server rejects it, at most three times', async () => {
    const wire = await startWire(
      ({ headers }) =>
        headers.authorization === `Bearer ${key}`
          ? answers.reply({ text: 'hello' })
          : answers.problem(401, 'Incorrect API key'),
      { models: answers.problem(401, 'Incorrect API key') },
    )
    onTestFinished(() => wire.close())
    const project = createProject()
    const env = { CADRE_SETUP_PORTS: '', ...fakeKeyring().env }
    const terminal = openTerminal(project, ['setup'], { rows: 60, env })
    await terminal.until((screen) => screen.includes('Number, 1 to 4'))
    terminal.type('3\r')
    await terminal.answers((screen) => screen.includes('Address'))
    terminal.type(`${wire.url}\r`)
    for (const typed of ['wrong', 'also-wrong', key]) {
      await terminal.answers((screen) => /API key \([^)]*\): $/.test(screen))
      terminal.type(`${typed}\r`)
    }
    // This server lists no models for the right key either.
    await terminal.answers((screen) => screen.includes('Model name'))
    expect(terminal.screen().match(/The server rejected the key\./g)).toHaveLength(2)
    terminal.type('small\r')
    await terminal.until((screen) => screen.includes('Stored openai:small as your default model'))
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen()).not.toContain(key)
    expect(terminal.screen()).not.toContain('also-wrong')
  })

  test('without a secret store, stores only a command that prints the tested key', async () => {
    const wire = await serve()
    const project = createProject({ 'key.txt': `${key}\n` })
    const env = { CADRE_SETUP_PORTS: '', PATH: programsWithout('secret-tool', 'pass') }
    const terminal = openTerminal(project, ['setup'], { columns: 200, rows: 60, env })
    await terminal.until((screen) => screen.includes('Number, 1 to 4'))
    terminal.type('3\r')
    await terminal.answers((screen) => screen.includes('Address'))
    terminal.type(`${wire.url}\r`)
    await terminal.answers((screen) => screen.includes('API key'))
    terminal.type(`${key}\r`)
    await terminal.answers((screen) => screen.includes('part of a name [1]:'))
    terminal.type('small\r')
    await terminal.answers((screen) => screen.includes('Command: '))
    for (const [typed, problem] of [
      [key, 'This contains the key itself'],
      [`echo ${key} | cat`, 'This contains the key itself'],
      ['exit 3', 'The command failed (exit code 3).'],
      ['true', 'The command printed no key.'],
      ['echo sk-other', 'The command printed a different key'],
      // Waits for input, unless it gets none.
      ['cat', 'The command printed no key.'],
    ] as const) {
      terminal.type(`${typed}\r`)
      await terminal.answers((screen) => screen.includes(problem) && /Command: [^\n]*$/.test(screen))
      expect(() => readFileSync(project.at(userFile))).toThrow()
    }
    terminal.type('cat key.txt\r')
    await terminal.until((screen) => screen.includes('Stored openai:small as your default model'))
    expect(await terminal.ended()).toBe(0)
    const file = readFileSync(project.at(userFile), 'utf8')
    expect(file).toContain('keyCommand: "cat key.txt"')
    expect(file).not.toContain(key)
  })

  test('accepts an address without scheme and path, and names no variable if nothing answers there', async () => {
    const wire = await serve()
    const project = createProject()
    const terminal = openTerminal(project, ['setup'], { rows: 60, env: { CADRE_SETUP_PORTS: '' } })
    await terminal.until((screen) => screen.includes('Number, 1 to 4'))
    terminal.type('3\r')
    await terminal.answers((screen) => screen.includes('Address'))
    terminal.type('my server\r')
    await terminal.answers((screen) => /not a valid address.*Address/s.test(screen))
    terminal.type('127.0.0.1:1/v1\r')
    await terminal.answers((screen) => screen.includes('API key'))
    terminal.type('\r')
    await terminal.answers((screen) => screen.includes('Model name'))
    terminal.type('\r')
    await terminal.answers((screen) => screen.includes('Number, 1 to 4'))
    terminal.type('3\r')
    await terminal.answers((screen) => screen.includes('Address'))
    terminal.type(`127.0.0.1:${portOf(wire.url)}\r`)
    await terminal.answers((screen) => screen.includes('API key'))
    terminal.type('\r')
    await terminal.answers((screen) => screen.includes('part of a name [1]:'))
    terminal.type('large\r')
    expect(await terminal.ended()).toBe(0)
    expect(terminal.screen().replace(/\s+/g, '')).not.toMatch(/OPENAI_/)
    expect(readFileSync(project.at(userFile), 'utf8')).toContain(
      `baseUrl: "http://127.0.0.1:${portOf(wire.url)}/v1"`,
    )
  })

  test('is cancelled with Ctrl-C and stores nothing', async () => {
    const project = createProject()
    const terminal = openTerminal(project, ['setup'], { rows: 40, env: { CADRE_SETUP_PORTS: '' } })
    await terminal.until((screen) => screen.includes('Number, 1 to 4'))
    terminal.type('2\r')
    await terminal.until((screen) => screen.includes('API key (hidden'))
    terminal.type(key)
    terminal.type('\u0003')
    expect(await terminal.ended()).toBe(130)
    expect(terminal.screen()).not.toContain(key)
    expect(() => readFileSync(project.at(userFile))).toThrow()
  })
})
