/** Judges lines as the gate does, in a real workspace, with the shipped list and redirects allowed inside the workspace. */
const search = '/usr/local/bin:/usr/bin:/bin'
const environment = {
  PATH: search,
  HOME: '/tmp/home',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  TMPDIR: '/tmp',
  USER: 'user',
  TERM: 'dumb',
}
export const writers = ['mkdir', 'touch', 'cp', 'tee']

/** Returns a function `(text, hasOwnList)` that returns what an allowed line will do, or undefined for any other line. */
export async function createJudge(gate, workspace) {
  const [{ judgeLine }, { interpretLine }, { readAllowlist }, { createPathResolver }, { planInput }] =
    await Promise.all(
      [
        'commands/create-command-rule.js',
        'commands/interpret-line.js',
        'commands/read-allowlist.js',
        'paths/path-resolver.js',
        'sandbox/plan-run.js',
      ].map((file) => import(`${gate}/dist/${file}`)),
    )
  const own = readAllowlist(writers.map((name) => `${name}: true\n`).join(''), 'list.yaml').allowlist
  const places = createPathResolver()
  const options = (lists) => ({
    allowlists: () => lists,
    execute: 'ask',
    write: 'allow',
    sandboxed: true,
    beforehand: true,
    searchPath: search,
    excluded: [],
    places,
  })
  const [shipped, withWriters] = [options([]), options([own])]
  return (text, hasOwnList) => {
    const verdict = judgeLine(text, workspace, hasOwnList ? withWriters : shipped)
    if (verdict.kind !== 'allow') return undefined
    const { plan, commands } = interpretLine(text)
    const job = JSON.parse(
      planInput({ plan, cwd: workspace, root: workspace, excluded: [], sandboxed: true, environment }),
    )
    const written = new Set()
    for (const target of writtenBy(commands)) {
      const { real } = places.judge({ path: target, workspace, write: true, mounts: false, asWritten: true })
      if (real !== undefined) written.add(real)
    }
    return { job, written: [...written], ...describe(plan) }
  }
}

/** Redirect targets, and every word of a program that the user's list allows to write, for each folder it may run in. */
function* writtenBy(commands) {
  for (const { words, redirects, folders } of commands) {
    const isWriter = namesOf(words.map(({ text }) => text)).some((name) => writers.includes(name))
    const texts = [
      ...redirects.filter(({ kind }) => kind === 'write').map(({ path }) => path),
      ...(isWriter
        ? words.slice(1).map(({ text, glob }) => (glob === undefined ? text : fixedPart(text)))
        : []),
    ]
    for (const text of texts)
      for (const folder of folders) yield text.startsWith('/') ? text : `${folder}/${text}`
  }
}

/** The folder whose files a pattern may match. */
function fixedPart(glob) {
  return glob.slice(0, glob.lastIndexOf('/', glob.search(/[*?[]/)) + 1) || '.'
}

function describe(plan) {
  const commands = [...commandsOf(plan)]
  const names = commands.flatMap(({ words }) => namesOf(words.map(({ text }) => text)))
  return {
    names,
    hasWriter: names.some((name) => writers.includes(name)),
    traits: {
      usesGit: names.includes('git'),
      hasGlob: commands.some(({ words }) => words.some(({ glob }) => glob !== undefined)),
      isVolatile: commands.some(isVolatile),
      isRacy: isRacy(plan),
      mergesErrors: [...redirectsOf(plan)].some(
        ({ fd, kind, path }) => fd === 2 && (kind === 'copy' || path !== '/dev/null'),
      ),
    },
  }
}

function* stagesOf(list) {
  for (const { stages } of list)
    for (const stage of stages) {
      yield stage
      if (stage.kind === 'group') yield* stagesOf(stage.list)
    }
}

function* commandsOf(list) {
  for (const stage of stagesOf(list)) if (stage.kind === 'command') yield stage
}

function* redirectsOf(list) {
  for (const { redirects } of stagesOf(list)) yield* redirects
}

/** The programs that a command names: its own, and the one after `timeout 5`. */
function namesOf([name, ...rest]) {
  if (name === undefined) return []
  return name === 'timeout' || name === 'nice'
    ? [name, ...rest.filter((word) => !word.startsWith('-'))]
    : [name]
}

const lists = /^(?:ls|find|du|rg|grep|egrep|fgrep|git|tree|stat|file|diff)$/

/** Two stages of one pipe use the same files concurrently: then even bash is not deterministic. */
function isRacy(list) {
  return list.some(({ stages }) => {
    const groups = stages.filter(({ kind }) => kind === 'group')
    if (groups.some((group) => isRacy(group.list))) return true
    // Whether a reader ends first determines the exit code of the writer, and so what runs next in the group.
    const decides = ({ list: inner }) =>
      inner.some(({ after }) => after !== ';') ||
      inner.some(({ stages: own }) => own.some((one) => one.kind === 'group' && decides(one)))
    if (stages.slice(0, -1).some((stage) => stage.kind === 'group' && decides(stage))) return true
    return stages.some((stage, at) => {
      const written = [...filesWrittenBy([stage])]
      const others = stages.filter((_, index) => index !== at)
      return written.length > 0 && others.some((other) => usesAny(other, written))
    })
  })
}

function* filesWrittenBy(stages) {
  for (const { kind, words = [], redirects, list } of stages) {
    for (const one of redirects) if (one.kind === 'write' || one.kind === 'append') yield one.path
    if (kind === 'group') for (const step of list) yield* filesWrittenBy(step.stages)
    else if (writers.includes(words[0]?.text)) yield* words.slice(1).map(({ text }) => text)
  }
}

function usesAny(stage, names) {
  const inner = [...stagesOf([{ stages: [stage] }])]
  return inner.some(
    ({ words = [], redirects }) =>
      lists.test(words[0]?.text) ||
      words.some(({ text, glob }) => glob !== undefined || names.includes(text)) ||
      redirects.some(({ path }) => names.includes(path)),
  )
}

/** Its output changes over time, or has no fixed order. */
function isVolatile({ words }) {
  const [name = '', ...rest] = words.map(({ text }) => text)
  if (/^(?:date|diff|stat|rg|ps|id|du|ls|find|sort|od|nproc|uptime|file)$/.test(name)) {
    if (name === 'sort') return rest.some((word) => /^-[a-zA-Z]*R|random/.test(word))
    return name !== 'file'
  }
  return name === 'git'
}
