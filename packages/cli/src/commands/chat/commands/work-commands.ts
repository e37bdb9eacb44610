import { foldEntries } from '@cadre/core'
import { tryGit } from '@cadre/disk'
import { cleanLine } from '../../../output/clean-text.ts'
import { patchText } from '../../../output/diff/patch-text.ts'
import { formatAmount, usageNumbers } from '../../../output/numbers.ts'
import { textTable } from '../../../output/text-table.ts'
import { titleOf } from '../../../output/title-of.ts'
import type { Chat } from '../chat.ts'
import type { ChatCommand } from '../chat-commands.ts'
import { sendMessage } from '../run-turn.ts'

export const workCommands: readonly ChatCommand[] = [
  { name: 'diff', about: 'show what has changed in the workspace since the last commit', run: showDiff },
  { name: 'cost', about: 'show the tokens and the cost of this conversation', run: showCost },
  {
    name: 'init',
    about: 'have the agent write AGENTS.md, the instructions for agents in this project',
    run: init,
  },
]

async function showDiff({ conversation, output, drive }: Chat): Promise<void> {
  const request = { cwd: conversation.workspace, max: 5_000_000 }
  const safe = ['--no-ext-diff', '--no-textconv', '--no-color']
  const head = await tryGit(['rev-parse', '--verify', '-q', 'HEAD'], request)
  const changed = await tryGit(['diff', ...safe, ...(head.code === 0 ? ['HEAD'] : []), '--', '.'], request)
  if (changed.code !== 0) return output.note('The workspace is not in a git repository.')
  const others = await tryGit(['ls-files', '--others', '--exclude-standard', '--', '.'], request)
  const created = others.stdout.split('\n').filter((line) => line !== '')
  const { isTTY, stream } = drive.stdout
  const lines = patchText(changed.stdout, {
    columns: isTTY ? (stream.columns || 80) - 1 : 200,
    style: drive.style,
  })
  const files = created.slice(0, 50).map((name) => `${drive.style.green('new file')} ${cleanLine(name)}`)
  const all = [
    ...lines,
    ...files,
    ...(created.length > 50 ? [`… ${created.length - 50} more new files`] : []),
  ]
  output.note(all.length === 0 ? 'Nothing has changed since the last commit.' : all.join('\n'), {
    type: 'diff',
    patch: changed.stdout,
    created,
  })
}

async function showCost({ conversation, runtime, output }: Chat): Promise<void> {
  const { session } = conversation
  const rows: string[][] = []
  const data: object[] = []
  if (session !== undefined)
    for await (const { spec, entries } of runtime.tree(session)) {
      const { usage, round } = foldEntries(entries, spec.id)
      const [, ...money] = usageNumbers(usage)
      rows.push([
        cleanLine(spec.agent.name),
        titleOf(spec.work.content),
        String(round),
        formatAmount(usage.input),
        formatAmount(usage.output),
        money.join(' · '),
      ])
      data.push({ session: spec.id, agent: spec.agent.name, rounds: round, usage })
    }
  const head = ['AGENT', 'TITLE', 'ROUNDS', 'TOKENS IN', 'TOKENS OUT', 'COST']
  const text = rows.length === 0 ? 'No tokens used yet.' : textTable(head, rows).trimEnd()
  const note = rows.length > 1 ? "\nEach agent's numbers include the agents that it delegated to." : ''
  output.note(`${text}${note}`, { type: 'cost', sessions: data })
}

const initPrompt = `Explore this project: its build files, its documentation and its code. Then write AGENTS.md in its root, or improve the existing
one. It is for coding agents that see the project for the first time. Keep it under 60 lines. Write only what is specific to this
project and what you have checked in its files:

- what the project is, in two sentences
- the commands to build, test and lint it, and to run one test
- how the code is organised: the folders that matter, and what depends on what
- conventions that a change must follow`

function init(chat: Chat): Promise<void> {
  return sendMessage(chat, initPrompt, { text: '/init', mentions: [] })
}
