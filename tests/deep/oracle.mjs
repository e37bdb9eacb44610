/**
 * The oracle: generates lines from a seed, lets the gate judge them, runs the allowed ones with the plan runner and with
 * bash in a throw-away sandbox, and reports every difference and every unpredicted effect.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fromRoot } from '../../scripts/lib/run.mjs'
import { generateLine } from './generate-line.mjs'
import { createJudge } from './judge.mjs'
import { listedOptions } from './listed-options.mjs'
import { Random } from './random.mjs'
import { unexpectedPrograms } from './traced-programs.mjs'
import { unpredicted } from './unpredicted.mjs'
import { createWorkspace } from './workspace.mjs'

/** One batch of this many is traced for started programs. */
const tracedEvery = 6
const wholeEvery = 150
const place = '/run/oracle'

/**
 * Returns numbers, and the failures with their lines. `gate`: the folder of the built package under test. `focus`: the
 * names of a few programs, or `words`; only these are generated.
 */
export async function runOracle({
  seed,
  lines,
  workers = 2,
  mostFailures: maxFailures = 20,
  gate = fromRoot('packages', 'gate'),
  focus,
  batchSize = 200,
  onFailure = () => undefined,
}) {
  const started = Date.now()
  // Not below /tmp, which is private and writable for every command.
  const root = fs.mkdtempSync(path.join(fs.realpathSync('/var/tmp'), 'cadre-oracle-'))
  const figures = {
    seed,
    lines: 0,
    allowed: 0,
    same: 0,
    loosely: 0,
    alone: 0,
    refused: 0,
    races: 0,
    stopped: 0,
    traced: 0,
  }
  const failures = []
  const found = { push: (failure) => failures.push(failure) && onFailure(failure) }
  const remove = () => fs.rmSync(root, { recursive: true, force: true })
  process.on('exit', remove)
  try {
    const listed = await listedOptions(gate)
    const specs = Array.isArray(focus) ? { ...listed, names: focus } : listed
    const grounds = {}
    for (const kind of ['plain', 'hostile']) {
      const workspace = createWorkspace(path.join(root, kind), kind)
      grounds[kind] = { root: path.join(root, kind), judge: await createJudge(gate, workspace) }
    }
    let next = 0
    const work = async () => {
      while (next * batchSize < lines && failures.length < maxFailures) {
        const number = next++
        const size = Math.min(batchSize, lines - number * batchSize)
        await runBatch({ number, size, seed, gate, focus, specs, grounds, figures, failures: found })
      }
    }
    await Promise.all(Array.from({ length: workers }, work))
  } finally {
    process.off('exit', remove)
    remove()
  }
  const seconds = (Date.now() - started) / 1000
  if (failures.length === 0 && figures.allowed * 3 < figures.lines)
    found.push({
      what: `only ${figures.allowed} of ${figures.lines} lines were allowed, less than a third`,
    })
  return { figures: { ...figures, seconds: Math.round(seconds) }, failures }
}

async function runBatch({ number, size, seed, gate, focus, specs, grounds, figures, failures }) {
  // A batch depends only on the seed and its number, not on the worker.
  const random = new Random((seed ^ Math.imul(number + 1, 0x9e3779b1)) >>> 0)
  const kind = random.chance(0.35) ? 'hostile' : 'plain'
  const isTraced = hasStrace() && number % tracedEvery === tracedEvery - 1
  const { root, judge } = grounds[kind]
  const allowed = []
  for (let count = 0; count < size; count++) {
    const text = generateLine(random, specs, focus)
    const judged = judge(text, random.chance(0.3))
    figures.lines++
    if (judged === undefined) continue
    // Repository settings that name programs: bash would start them, because only a plan is protected.
    const isHostile = judged.traits.usesGit && random.chance(0.4)
    // Names that start with a dash match, which the runner writes as `./-n`: there, and if the line creates one.
    const hasDash = kind === 'hostile' || /(?:^|\s)\S*[>]\s*['"]?-/.test(text)
    const isAlone = isHostile || (hasDash && judged.traits.hasGlob)
    const isWhole = !isAlone && random.below(wholeEvery) === 0
    allowed.push({ text, ...judged, isHostile, isAlone, isWhole })
  }
  figures.allowed += allowed.length
  const { results, trace, problem } = await runInSandbox({ root, gate, kind, isTraced, lines: allowed })
  for (const result of results) {
    const line = allowed[result.at]
    const fail = (what) => failures.push({ what, line: line.text, kind, ...detailsOf(result) })
    if (result.kind === 'different')
      fail(result.isWhole ? 'the runner in a process of its own differs' : 'bash differs')
    else if (result.kind === 'race') figures.races++
    else figures[result.kind]++
    for (const what of unpredicted(result, line, path.join(root, 'w'))) fail(what)
  }
  if (isTraced) {
    figures.traced += results.length
    for (const { at, program } of unexpectedPrograms(trace, allowed))
      failures.push({ what: `it started ${program}`, line: allowed[at].text, kind })
  }
  if (results.length < allowed.length)
    failures.push({ what: `the sandbox ended early: ${problem}`, line: allowed[results.length]?.text, kind })
}

function detailsOf({ plan, bash, changes }) {
  return plan === undefined ? { changes } : { plan, bash }
}

function hasStrace() {
  return fs.existsSync('/usr/bin/strace')
}

/** Without network, with its own processes and temporary files; nothing on the machine can be changed. */
function sandboxArguments(root, gate) {
  const args = ['--ro-bind', '/', '/']
  for (const folder of ['/tmp', '/var/tmp', '/home', '/root', '/run', '/mnt', '/media'])
    if (fs.existsSync(folder) && !fs.lstatSync(folder).isSymbolicLink()) args.push('--tmpfs', folder)
  args.push(
    '--ro-bind-try',
    path.dirname(path.dirname(process.execPath)),
    path.dirname(path.dirname(process.execPath)),
  )
  args.push('--tmpfs', root, '--ro-bind', fromRoot('tests', 'deep'), `${place}/deep`)
  args.push('--ro-bind', path.join(gate, 'runner'), `${place}/runner`)
  args.push('--proc', '/proc', '--dev', '/dev', '--unshare-all', '--cap-drop', 'ALL')
  args.push('--new-session', '--die-with-parent', '--chdir', '/')
  return args
}

const batchTimeoutMs = 300_000

function runInSandbox({ root, gate, kind, isTraced, lines }) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'cadre-oracle-'))
  const traceFile = path.join(folder, 'trace')
  fs.writeFileSync(traceFile, '')
  const traced = isTraced
    ? [
        '/usr/bin/strace',
        '-f',
        '-qq',
        '--seccomp-bpf',
        '-s',
        '200',
        '-e',
        'trace=execve',
        '-o',
        '/run/trace',
        '--',
      ]
    : []
  const args = [
    // Limits memory, file size and CPU time of everything in the sandbox.
    '--fsize=4194304',
    '--core=0',
    '--cpu=120',
    'bwrap',
    ...sandboxArguments(root, gate),
    '--bind',
    traceFile,
    '/run/trace',
    '--',
    ...traced,
    process.execPath,
    '--no-warnings',
    `${place}/deep/driver.mjs`,
  ]
  return new Promise((resolve) => {
    const child = spawn('prlimit', args, {
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const [out, err] = [[], []]
    const timer = setTimeout(() => child.kill('SIGKILL'), batchTimeoutMs)
    child.stdout.on('data', (bytes) => out.push(bytes))
    child.stderr.on('data', (bytes) => err.push(bytes))
    child.stdin.on('error', () => undefined)
    child.stdin.end(JSON.stringify({ root, kind, isTraced, place, lines }))
    child.on('close', (code) => {
      clearTimeout(timer)
      const trace = fs.readFileSync(traceFile, 'utf8')
      fs.rmSync(folder, { recursive: true, force: true })
      const results = Buffer.concat(out)
        .toString()
        .split('\n')
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line))
      resolve({
        results,
        trace,
        problem: `exit code ${code}, ${Buffer.concat(err).toString().slice(0, 2_000)}`,
      })
    })
  })
}
