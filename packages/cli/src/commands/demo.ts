import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { CadreError } from '@cadre/core'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { commandName } from '../run/command-name.ts'
import { driveRun } from '../run/drive-run.ts'
import { repeatedFlags } from '../run/repeated-flags.ts'

const work = 'Add a limit of 5 requests per second and client to the API, and prove that it works.'

/** `cadre demo`. */
export async function demo(
  io: Io,
  flags: { readonly dir?: string; readonly json?: boolean },
): Promise<ExitCode> {
  const folder = prepare(io, flags.dir)
  const home = path.join(folder, '.cadre')
  const say = (text: string) => void (flags.json ? io.stderr : io.stdout).write(text)
  say(
    `A team of six agents works on a small project in ${folder}\n` +
      'The model is scripted: its words were written beforehand. The sessions, the calls and the files are real.\n\n' +
      `  ${work}\n\n`,
  )
  const code = await driveRun(
    {
      io,
      home,
      workspace: folder,
      model: `scripted:${path.join(home, 'playbook.yaml')}`,
      json: flags.json,
      // The folder was made for this, and nothing else is in it.
      allow: ['write'],
    },
    ({ orchestrator }, signal) => orchestrator.start({ agent: 'lead', work, workspace: folder }, signal),
  )
  // Standard output ends with the report for machines.
  if (code === exitCodes.done && !flags.json) say(`\n${whatNext(io, folder, home)}`)
  return code
}

function prepare(io: Io, wanted: string | undefined): string {
  const folder =
    wanted === undefined ? mkdtempSync(path.join(tmpdir(), 'cadre-demo-')) : path.resolve(io.cwd, wanted)
  if (wanted !== undefined && existsSync(folder) && readdirSync(folder).length > 0)
    throw new CadreError('usage', 'the folder for the demo must be empty or not there yet', { where: folder })
  const source = fileURLToPath(new URL('../../demo/', import.meta.url))
  mkdirSync(path.join(folder, '.cadre'), { recursive: true })
  cpSync(path.join(source, 'workspace'), folder, { recursive: true })
  cpSync(path.join(source, 'templates'), path.join(folder, '.cadre', 'templates'), { recursive: true })
  cpSync(path.join(source, 'playbook.yaml'), path.join(folder, '.cadre', 'playbook.yaml'))
  return folder
}

function whatNext(io: Io, folder: string, home: string): string {
  const cadre = commandName(io)
  // Elsewhere there is no such script, and the name alone may belong to somebody else's package.
  const elsewhere =
    cadre === 'cadre' ? cadre : `node ${fileURLToPath(new URL('../../bin/cadre.js', import.meta.url))}`
  const flags = repeatedFlags({ home })
  return `Look at it:
  ${cadre} sessions tree${flags}
  ${cadre} sessions show builder${flags}
  cat ${path.join(folder, 'src', 'rate-limit.js')}

With a real model, in a project of your own:
  export OPENAI_BASE_URL=https://… OPENAI_API_KEY=…
  ${elsewhere} run --model openai:NAME "${work}"
`
}
