import { readOptions } from '../read-options.ts'
import type { Reader, Unwrap } from '../reader.ts'
import { plainWord, type ShellWord } from '../shell-word.ts'

const harmlessKey =
  /^(?:color\.[\w.]+|core\.(?:quotepath|abbrev|pager=cat|pager=|commentchar)|user\.(?:name|email)|advice\.[\w.]+|log\.(?:date|decorate|showsignature)|diff\.(?:renames|renamelimit|context|noprefix|algorithm)|init\.defaultbranch|commit\.gpgsign=false|tag\.gpgsign=false|gc\.auto=0|column\.\w+|status\.\w+|grep\.(?:linenumber|column))(?:=|$)/i

/** Options in front of the subcommand are taken off; those that can start something are doubts. */
export const unwrapGit: Unwrap = (words, reader) => {
  const { rest, options, unknown } = readOptions(words, {
    flags: 'pPhv',
    values: 'Cc',
    long: [
      'paginate',
      'no-pager',
      'no-replace-objects',
      'bare',
      'literal-pathspecs',
      'glob-pathspecs',
      'noglob-pathspecs',
      'icase-pathspecs',
      'no-optional-locks',
      'no-lazy-fetch',
      'no-advice',
      'version',
      'help',
      'html-path',
      'man-path',
      'info-path',
      'exec-path',
    ],
    longValues: [
      'git-dir',
      'work-tree',
      'namespace',
      'super-prefix',
      'config-env',
      'attr-source',
      'list-cmds',
    ],
  })
  if (unknown !== undefined) reader.doubt(`git has an option that is not understood: ${unknown}`)
  for (const { name, value } of options) {
    if (name === 'C') reader.folder(value)
    else if (name === 'c') readSetting(value, reader)
    else if (
      ['git-dir', 'work-tree', 'namespace', 'super-prefix', 'config-env', 'attr-source'].includes(name) ||
      (name === 'exec-path' && value)
    )
      reader.doubt(`git --${name} changes what git reads or starts`)
  }
  const [sub, ...args] = rest
  if (sub === undefined) return {}
  if (sub.kind !== 'plain') reader.doubt('which git command it is, is only known when it runs')
  readSubcommand(sub.value, args, reader)
  return { words: rest }
}

/** `-c key=value`: many keys name a program. */
function readSetting(setting: ShellWord | undefined, reader: Reader): void {
  const text = setting?.value ?? ''
  if (setting?.kind !== 'plain') {
    reader.doubt('a setting of git is only known when it runs')
    return
  }
  const alias = /^alias\.[^=]+=(.*)$/is.exec(text)?.[1]
  if (alias !== undefined) reader.script(plainWord(alias.startsWith('!') ? alias.slice(1) : `git ${alias}`))
  const key = /^core\.pager=(?:cat)?$/i.test(text) || harmlessKey.test(text)
  if (!key || alias !== undefined) reader.doubt(`git -c can make git start another program: ${text}`)
}

function readSubcommand(sub: string, args: readonly ShellWord[], reader: Reader): void {
  const values = args.map(({ value }) => value)
  if (values.some((value) => /^(?:ext|fd)::/.test(value)))
    reader.doubt('git is given an address that starts a program')
  if (sub === 'submodule' && values.includes('foreach')) {
    const inner = args
      .slice(values.indexOf('foreach') + 1)
      .filter(({ value }) => !/^--(?:recursive|quiet)$|^-q$/.test(value))
    reader.doubt('git submodule foreach runs a command in every submodule')
    if (inner.length === 1) reader.script(inner[0] as ShellWord)
    else reader.command(inner)
  }
  if (sub === 'bisect' && values[0] === 'run') reader.command(args.slice(1))
  if (sub === 'rebase') for (const text of valuesOf(args, 'x', 'exec')) reader.script(text)
  if (sub === 'difftool') for (const text of valuesOf(args, 'x', 'extcmd')) reader.script(text)
  if (sub === 'grep') for (const text of valuesOf(args, 'O', 'open-files-in-pager')) reader.script(text)
  if (/^(?:clone|fetch|pull|ls-remote|fetch-pack|send-pack|push|archive)$/.test(sub)) {
    for (const long of ['upload-pack', 'receive-pack', 'exec']) {
      for (const text of valuesOf(args, long === 'upload-pack' && sub === 'clone' ? 'u' : '', long)) {
        reader.doubt(`git ${sub} --${long} starts a program`)
        reader.script(text)
      }
    }
  }
  if (sub === 'clone') for (const text of valuesOf(args, 'c', 'config')) readSetting(text, reader)
  if (
    sub === 'filter-branch' ||
    sub === 'hook' ||
    sub === 'send-email' ||
    sub === 'mergetool' ||
    sub === 'instaweb'
  )
    reader.doubt(`git ${sub} runs other programs`)
  const alias = sub === 'config' ? values.findIndex((value) => /^alias\./i.test(value)) : -1
  const meaning = args[alias + 1]
  if (alias >= 0 && meaning?.value.startsWith('!'))
    reader.script({ ...meaning, value: meaning.value.slice(1) })
}

/** The values of one option, however it is spelt: `-x v`, `-xv`, `--exec v`, `--exec=v`, `--exe=v`. */
export function valuesOf(args: readonly ShellWord[], short: string, long: string): readonly ShellWord[] {
  const found: ShellWord[] = []
  args.forEach((word, index) => {
    const { value } = word
    const equals = value.indexOf('=')
    const name = value.slice(0, equals < 0 ? undefined : equals)
    const next = args[index + 1]
    if (name.length > 3 && `--${long}`.startsWith(name)) {
      if (equals >= 0) found.push({ ...word, value: value.slice(equals + 1) })
      else if (next !== undefined) found.push(next)
    } else if (short !== '' && /^-[A-Za-z]/.test(value) && value.includes(short)) {
      const attached = value.slice(value.indexOf(short) + 1)
      if (attached !== '') found.push({ ...word, value: attached.replace(/^=/, '') })
      else if (next !== undefined) found.push(next)
    }
  })
  return found
}
