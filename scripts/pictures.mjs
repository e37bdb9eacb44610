// Creates the pictures in docs/pictures: runs the built command in a terminal with the scripted model, and draws its
// output. Needs `npm run build`, and `script` of util-linux for the terminal.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { drawTerminal, readScreen } from './lib/ansi-to-svg.mjs'
import { fromRoot, say } from './lib/run.mjs'

const columns = 114
const work = 'Review, test and document src/parse-duration.js'

if (!/util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')) {
  say('The pictures need the command script of util-linux.')
  process.exit(2)
}
const home = mkdtempSync(path.join(tmpdir(), 'cadre-picture-'))
try {
  for (const [name, take] of Object.entries({ run: takeScreenshot, ...(await chatPictures()) })) {
    const file = fromRoot('docs', 'pictures', `${name}.svg`)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, await take())
    say(`Wrote ${path.relative(process.cwd(), file)}`)
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** A chat in which an agent explains, edits a file after an approval, and answers: one run, two pictures. */
async function chatPictures() {
  const project = makeProject('chat')
  cpSync(fromRoot('scripts', 'pictures', 'chat.yaml'), path.join(project, 'playbook.yaml'))
  const terminal = openTerminal(project, ['chat', '--agent', 'assistant'])
  await terminal.until((text) => text.includes('/help'))
  terminal.type('Why does parse-duration accept "5 parsecs", and can you fix it?\r')
  const asked = await terminal.until((text) => text.includes('Enter to decide later:'))
  terminal.type('1\r')
  const end = await terminal.until((text) => /completed ·.*\/help/s.test(text))
  terminal.type('\x04')
  await terminal.ended()
  const from = (lines, text) => lines.findIndex((runs) => runs.some((run) => run.text.includes(text)))
  return {
    chat: () =>
      drawTerminal([{ lines: end }], {
        title: 'A chat: Markdown, a diff, a command, the status line',
        columns,
      }),
    diff: () =>
      drawTerminal([{ lines: asked.slice(from(asked, 'wants to use')) }], {
        title: 'An approval of an edit, shown as a diff with line numbers',
        columns,
      }),
  }
}

function makeProject(name) {
  const project = path.join(home, name)
  cpSync(fromRoot('examples', 'coordinator', 'workspace', 'src'), path.join(project, 'src'), {
    recursive: true,
  })
  return project
}

async function takeScreenshot() {
  const project = path.join(home, 'project')
  cpSync(fromRoot('examples', 'coordinator', 'workspace', 'src'), path.join(project, 'src'), {
    recursive: true,
  })
  cpSync(fromRoot('examples', 'coordinator', 'workspace', 'package.json'), path.join(project, 'package.json'))
  cpSync(fromRoot('scripts', 'pictures', 'playbook.yaml'), path.join(project, 'playbook.yaml'))
  const terminal = openTerminal(project, ['run', '--team', 'coordinator', work])
  const prompt = readScreen(`\x1b[32m$\x1b[39m cadre run --team coordinator "${work}"`)

  const live = await terminal.until((text) => /code-reviewer .*Checking/.test(text) && /running/.test(text))
  await terminal.until((text) => text.includes('Enter to decide later:'))
  terminal.type('1\n')
  const end = await terminal.ended()
  return drawTerminal(
    [{ lines: [...prompt, ...live] }, { caption: 'a few seconds later', lines: [...prompt, ...end] }],
    {
      title:
        'A team of four agents in a terminal: three work at once, one asks for approval, the lead answers',
      columns,
    },
  )
}

function openTerminal(cwd, args) {
  const words = [process.execPath, fromRoot('packages', 'cli', 'bin', 'cadre.js'), ...args]
    .map(quote)
    .join(' ')
  const { PATH } = process.env
  const env = { PATH, HOME: home, USER: 'you', TERM: 'xterm-256color', CADRE_MODEL: 'scripted:playbook.yaml' }
  const child = spawn('script', ['-qec', `stty cols ${columns + 1} rows 40; exec ${words}`, '/dev/null'], {
    cwd,
    env,
  })
  const closed = once(child, 'close')
  let output = ''
  const watchers = new Set()
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    for (const look of watchers) look()
  })
  // Only the temporary folder differs from what a user sees.
  const screen = () => readScreen(output.replaceAll(home, '~'))
  return {
    type: (keys) => child.stdin.write(keys),
    /** Resolves with the screen, as soon as its text matches. */
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const lines = screen()
          if (!fits(lines.map((runs) => runs.map(({ text }) => text).join('')).join('\n'))) return
          watchers.delete(look)
          resolve(lines)
        }
        watchers.add(look)
        look()
        void closed.then(() => reject(new Error(`The command ended too early:\n${output}`)))
      }),
    async ended() {
      const [code] = await closed
      if (code !== 0) throw new Error(`The command ended with ${code}:\n${output}`)
      return screen()
    },
  }
}

function quote(word) {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
