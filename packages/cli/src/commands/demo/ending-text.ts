import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { commandFile } from '../../app/own-files.ts'
import type { Io } from '../../io.ts'
import { cleanText } from '../../output/clean-text.ts'
import { commandName } from '../../run/command-name.ts'
import { repeatedFlags } from '../../run/repeated-flags.ts'
import type { DemoDecision } from './decide-demo.ts'
import { taskFile } from './demo-progress.ts'
import type { DemoFolder } from './prepare-demo.ts'

/** What can be inspected afterwards. */
export function endingText(io: Io, { home }: DemoFolder, decisions: readonly DemoDecision[]): string {
  const cadre = commandName(io)
  // Elsewhere there is no such script, and the name alone might be another package.
  const elsewhere = cadre === 'cadre' ? cadre : `node ${commandFile}`
  const flags = repeatedFlags({ home: home.path })
  const log = spawnSync('git', ['-C', home.path, 'log', '--oneline', '--no-decorate', '-12'], {
    encoding: 'utf8',
  })
  const history =
    log.status === 0
      ? `Events, from the git history of the home directory (git log):\n${indent(log.stdout)}\n`
      : ''
  return `Decisions (${cadre} approvals --all${flags}):
${indent(decisions.map(decisionText).join('\n'))}

Open these in your editor:
  ${path.join(home.path, 'tasks', taskFile)}
  ${home.at('tasks', 'approvals.task.md')}
  ${home.at('sessions')}
  ${home.at('inbox', 'slack-messages.jsonl')}

${history}
The home directory is kept. See it in your browser, inspect it, or create your own:
  ${cadre} open${flags}
  ${cadre} status${flags}
  ${cadre} sessions list${flags}
  ${elsewhere} init --team operators && ${elsewhere} up --model openai:NAME    (set OPENAI_BASE_URL and OPENAI_API_KEY)
`
}

function decisionText({ kind, by, action }: DemoDecision): string {
  const [first = '', ...more] = cleanText(action).split('\n')
  return [`${kind} by ${by}: ${first}`, ...more.map((line) => `  ${line}`)].join('\n')
}

function indent(text: string): string {
  return cleanText(text.trimEnd()).replace(/^/gm, '  ')
}
