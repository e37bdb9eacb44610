import type { Word } from '../line/line.ts'
import type { DescribedCommand } from './describe-command.ts'
import { gitReaders, gitSubReaders, gitWriters } from './git-commands.ts'
import { readArguments } from './read-arguments.ts'
import { findSpec, readSpec } from './spec.ts'

const listing = /^(?:--list|--(?:no-)?(?:contains|merged)(?:=.*)?|--points-at(?:=.*)?)$/
/** These settings change identity and display, and start nothing. */
const harmlessSetting =
  /^(?:user\.(?:name|email)|color\.[\w.]+|advice\.\w+|core\.(?:quotepath|abbrev)|commit\.gpgsign|tag\.gpgsign|init\.defaultbranch|log\.(?:date|decorate|abbrevcommit)|diff\.(?:renames|algorithm|context))(?:=(?!.*\0).*)?$/is
const plainSetting = /^(?:user\.(?:name|email)|init\.\w+|(?:remote|branch|core)\.[\w./-]+)$/i

const listed: DescribedCommand = { unlisted: [], paths: [], isReader: true }

function unlisted(word: string, ...names: readonly string[]): DescribedCommand {
  return { unlisted: [{ word, names: [word, ...names] }], paths: [], isReader: false }
}

/** Options of git itself whose value may be the next word. Git does not document `--shallow-file`. */
const optionWithValue =
  /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source|shallow-file))$/

/** Returns the index of the git command among the words after `git`. Options of git itself come first. */
export function gitCommandAt(texts: readonly string[]): number {
  let at = 0
  while (texts[at]?.startsWith('-')) at += optionWithValue.test(texts[at] as string) ? 2 : 1
  return at
}

/** `given` are the words after `git`. */
export function describeGit(given: readonly Word[]): DescribedCommand {
  let at = 0
  let folder: string | undefined
  // Options of git itself come before its command.
  for (; at < given.length; at++) {
    const { text, glob } = given[at] as Word
    const next = given[at + 1]
    if (text === '-C' && folder === undefined && next?.glob === undefined) {
      folder = next?.text ?? '.'
      at++
    } else if (text === '-c' && next?.glob === undefined && harmlessSetting.test(next?.text ?? '')) at++
    else if (text === '--version' && given.length === 1) return listed
    else if (text !== '--no-pager' && text !== '-P' && text !== '--no-optional-locks') {
      if (text.startsWith('-') || glob !== undefined) return unlisted(text)
      break
    }
  }
  const described = describeGitCommand(given[at]?.text ?? '', given.slice(at + 1))
  if (at === 0) return described
  const subject = ['git', ...given.slice(at).map(({ text }) => text)]
  return { ...described, ...(folder !== undefined && { folder }), subject }
}

function describeGitCommand(command: string, rest: readonly Word[]): DescribedCommand {
  if (command === 'config') return describeSetting(rest)
  const sub = findSpec(gitSubReaders, `${command} ${rest[0]?.text ?? ''}`)
  if (sub !== undefined) return { ...readArguments(rest.slice(1), sub), isReader: true }
  const writer = findSpec(gitWriters, command)
  if (Object.hasOwn(gitReaders, command)) {
    const spec = gitReaders[command] as string
    const mayList =
      (command === 'branch' || command === 'tag') &&
      rest.some(({ text }) => listing.test(text) || (command === 'tag' && text === '-l'))
    const { unlisted, paths } = readArguments(rest, readSpec(mayList ? `${spec}text*` : spec))
    if (unlisted.length === 0 || writer === undefined) return { unlisted, paths, isReader: true }
  }
  return writer === undefined ? unlisted(command) : { ...readArguments(rest, writer), isReader: false }
}

/** Other settings may contain keys, and the user's settings are outside the workspace. */
function describeSetting(words: readonly Word[]): DescribedCommand {
  const texts = words.map(({ text }) => text).filter((text) => text !== '--local' && text !== '--get')
  const [word = 'config'] = texts
  const isLocal = words.some(({ text }) => text === '--local')
  const isListed = plainSetting.test(word) || (isLocal && /^(?:--list|-l)$/.test(word))
  return texts.length === 1 && isListed ? listed : unlisted(word, 'config')
}
