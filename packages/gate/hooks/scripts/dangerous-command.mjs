// Finds commands that no agent may run. It compares program names and arguments, never pieces of text that happen to look
// similar. This is a safety net, not a complete barrier: a shell has more ways to write a command than anyone can list.

/** Returns why a command line is refused, in a few words, or undefined if it is not dangerous. */
export function dangerIn(source, depth = 0) {
  if (depth > 5) return 'commands nested too deeply'
  if (source.replaceAll(/\s/g, '').includes(':(){:|:&};:')) return 'a fork bomb'
  // A backslash is an escape character, or a path separator on Windows. Both readings are checked.
  return (
    dangerReadAs(source, depth, false) ??
    (source.includes('\\') ? dangerReadAs(source, depth, true) : undefined)
  )
}

function dangerReadAs(source, depth, isWindows) {
  const { commands, inner, redirects } = readWords(source, isWindows)
  if (redirects.some((target) => /^\/dev\/(?:sd|hd|nvme|vd|mmcblk|disk)/.test(target)))
    return 'overwriting a disk'
  const found = commands.map((words) => dangerOf(words, depth)).find((danger) => danger !== undefined)
  if (found !== undefined) return found
  const piped = commands.find((words, at) => at > 0 && words.length === 1 && shells.has(programOf(words[0])))
  if (piped !== undefined) {
    const [first = '', ...said] = commands[commands.indexOf(piped) - 1] ?? []
    const danger = /^(?:echo|printf)$/.test(programOf(first))
      ? dangerIn(said.join(' '), depth + 1)
      : undefined
    if (danger !== undefined) return danger
  }
  const programs = commands.map((words) => programOf(unwrapped(words)[0] ?? ''))
  if (
    programs.some((program) => sqlClients.has(program)) &&
    /\bdrop\s+(?:table|database|schema)\b/i.test(source)
  )
    return 'dropping tables or databases'
  return inner.map((text) => dangerIn(text, depth + 1)).find((danger) => danger !== undefined)
}

const sqlClients = new Set(
  'psql mysql mariadb sqlite3 sqlite sqlcmd sqlplus duckdb cockroach usql mycli pgcli clickhouse-client bq'.split(
    ' ',
  ),
)

function dangerOf(given, depth) {
  const words = unwrapped(given)
  const [first = '', ...args] = words
  const program = programOf(first)
  const rest = args.join(' ')
  if (shells.has(program)) {
    if (
      /^(?:powershell|pwsh)$/.test(program) &&
      args.some((word) => /^-e(?:nc?|ncodedcommand)?$/i.test(word))
    )
      return 'a command that cannot be parsed'
    const at = args.findIndex((word) => /^(?:-[a-z]*c|-command|\/c|\/k)$/i.test(word))
    return at === -1 ? undefined : dangerIn(args.slice(at + 1).join(' '), depth + 1)
  }
  if (program === 'eval' || program === 'invoke-expression' || program === 'iex' || program === 'ssh')
    return dangerIn(rest, depth + 1)
  if (program === 'find') {
    const at = args.findIndex((word) => /^-(?:exec|execdir|ok)$/.test(word))
    if (args.includes('-delete') && args.some(isRoot)) return 'deleting everything'
    return at === -1 ? undefined : dangerOf(args.slice(at + 1), depth)
  }
  // A name that is known only at run time is judged as the worst case.
  if (program === 'rm' || program === 'remove-item' || program === 'ri' || /[$`]/.test(first)) {
    if (args.includes('--no-preserve-root')) return 'deleting everything'
    const flags = args.filter((word) => word.startsWith('-'))
    const recursive = flags.some(
      (word) => /^-[a-z]*r/i.test(word) || /^--recursive$/.test(word) || /^-rec/i.test(word),
    )
    if (recursive && args.some(isRoot)) return 'deleting everything'
  }
  if (
    /^(?:del|erase|rd|rmdir)$/.test(program) &&
    args.some((word) => /^\/s$/i.test(word)) &&
    args.some(isRoot)
  )
    return 'deleting everything'
  if ((program === 'format' || program === 'format.com') && args.some((word) => /^[a-z]:$/i.test(word)))
    return 'formatting a disk'
  if (/^mkfs(?:\.|$)/.test(program) || program === 'format-volume') return 'formatting a disk'
  if (program === 'dd' && args.some((word) => /^of=\/dev\/(?!null$|zero$|stdout$)/.test(word)))
    return 'overwriting a disk'
  if (/^(?:shutdown|reboot|halt|poweroff|stop-computer|restart-computer)$/.test(program))
    return 'shutting down the machine'
  if (program === 'init' && /^[06]$/.test(args[0] ?? '')) return 'shutting down the machine'
  if (program === 'systemctl' && args.some((word) => /^(?:poweroff|reboot|halt|kexec)$/.test(word)))
    return 'shutting down the machine'
  if (program === 'drop' && /^(?:table|database|schema)$/i.test(args[0] ?? ''))
    return 'dropping tables or databases'
  return program === 'git' ? dangerOfGit(args) : undefined
}

function dangerOfGit(args) {
  let at = 0
  while ((args[at] ?? '').startsWith('-'))
    at += /^(?:-c|-C|--git-dir|--work-tree|--namespace|--exec-path)$/.test(args[at]) ? 2 : 1
  const [verb, ...rest] = args.slice(at)
  if (verb === 'push' && rest.some((word) => /^--force|^--mirror$|^-[a-z]*f|^\+/.test(word)))
    return 'overwriting pushed history'
  if (verb === 'reset' && rest.includes('--hard')) return 'discarding uncommitted changes'
  return undefined
}

/** True for a whole disk, a home directory, or a system folder. */
function isRoot(word) {
  const plain = word.replaceAll('\\', '/').replaceAll(/\/+/g, '/')
  if (
    /^(?:\/|~|\$home|\$\{home\}|\$env:userprofile|%userprofile%|\$env:systemdrive|[a-z]:)(?:\/?\.?\*?\/?)$/i.test(
      plain,
    )
  )
    return true
  return /^\/(?:\.\.?\/)*(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|users|system|windows)?(?:\/\*?)?$/i.test(
    plain,
  )
}

const shells = new Set('sh bash zsh dash ksh fish ash powershell pwsh cmd'.split(' '))
const wrappers = new Set(
  'sudo doas env nohup time timeout nice ionice stdbuf setsid xargs command exec builtin busybox watch caffeinate then do else { ! if while until'.split(
    ' ',
  ),
)

/** Removes wrappers that only start another program: their options, option values, and variable assignments. */
function unwrapped(words) {
  let rest = [...words]
  for (let turns = 0; turns < 10; turns++) {
    while (/^[A-Za-z_]\w*=/.test(rest[0] ?? '')) rest = rest.slice(1)
    if (!wrappers.has(programOf(rest[0] ?? ''))) return rest
    rest = rest.slice(1)
    while (/^(?:-|[A-Za-z_]\w*=|\d+[smhd]?$)/.test(rest[0] ?? '')) {
      const takesValue = /^-(?:u|g|n|I|s|k|P|L|d|i|-user|-signal)$/.test(rest[0])
      rest = rest.slice(takesValue && !isProgram(rest[1]) ? 2 : 1)
    }
  }
  return rest
}

function isProgram(word = '') {
  return /^(?:rm|git|dd|mkfs.*|shutdown|reboot|halt|poweroff|sh|bash|zsh)$/.test(programOf(word))
}

function programOf(word) {
  return (word.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '')
}

/** Returns the commands of a line as words without quotes, its substitutions, and the targets of its redirects. */
function readWords(source, isWindows) {
  const commands = []
  const inner = []
  const redirects = []
  let words = []
  let word
  let isTarget = false
  const endWord = () => {
    if (word !== undefined) {
      if (isTarget) redirects.push(word)
      else words.push(word)
      isTarget = false
    }
    word = undefined
  }
  const endCommand = () => {
    endWord()
    if (words.length > 0) commands.push(words)
    words = []
  }
  for (let at = 0; at < source.length; at++) {
    const sign = source[at]
    if (sign === "'") {
      const end = source.indexOf("'", at + 1)
      word = (word ?? '') + source.slice(at + 1, end === -1 ? undefined : end)
      at = end === -1 ? source.length : end
    } else if (sign === '"') {
      word ??= ''
      for (at++; at < source.length && source[at] !== '"'; at++) {
        if (source[at] === '\\' && '"\\$`'.includes(source[at + 1] ?? ' ')) at++
        else if (source[at] === '`' || source.startsWith('$(', at)) at = substituted(at)
        word += source[at] ?? ''
      }
    } else if (sign === '`' || ((sign === '$' || sign === '<' || sign === '>') && source[at + 1] === '(')) {
      at = substituted(at)
      word = `${word ?? ''}$`
    } else if (sign === '\\' && source[at + 1] === '\n') at++
    else if (sign === '\\' && isWindows) word = (word ?? '') + sign
    else if (sign === '\\') {
      at++
      word = (word ?? '') + (source[at] ?? '')
    } else if (sign === '#' && word === undefined) {
      while (at < source.length && source[at] !== '\n') at++
      endCommand()
    } else if (';|\n\r()'.includes(sign)) endCommand()
    else if (sign === '&') {
      if (source[at + 1] === '>' || source[at - 1] === '>') continue
      endCommand()
    } else if (sign === '>' || sign === '<') {
      if (/^\d+$/.test(word ?? '')) word = undefined
      endWord()
      isTarget = sign === '>' || isTarget
    } else if (/\s/.test(sign)) endWord()
    else word = (word ?? '') + sign
  }
  endCommand()
  return { commands, inner, redirects }

  /** Extracts the text of a substitution. Returns the index of its last character. */
  function substituted(start) {
    if (source[start] === '`') {
      const end = source.indexOf('`', start + 1)
      inner.push(source.slice(start + 1, end === -1 ? undefined : end))
      return end === -1 ? source.length : end
    }
    let open = 0
    let at = start + 1
    for (; at < source.length; at++) {
      if (source[at] === '(') open++
      else if (source[at] === ')' && --open === 0) break
    }
    inner.push(source.slice(start + 2, at))
    return at
  }
}
