// Determines what a call does and which files it names, for the tool names and arguments of any host.
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const edits = words(`
  edit editfile editfiles write writefile writefiles writetofile create createfile createfiles createnewfile
  createdirectory createfolder mkdir multiedit multieditfile notebookedit editnotebook editnotebookfile
  createnewjupyternotebook createnewworkspace newworkspace newjupyternotebook applypatch patch applydiff inserteditintofile
  insertedit insert replacestringinfile multireplacestringinfile strreplace strreplaceeditor strreplacebasededittool replace
  replaceinfile searchreplace delete deletefile deletefiles remove removefile rename renamefile renamesymbol move movefile
  copyfile savefile appendfile appendtofile undoedit`)
const commands = words(`
  bash shell sh zsh powershell pwsh cmd terminal execute executecommand exec execcommand run runcommand runcommands
  runinterminal runterminalcommand runterminalcmd runterminal runintegratedterminal runtask runtasks createandruntask
  runtests runtest runnotebookcell runnotebooks runvscodecommand localshell shellcommand unifiedexec bashbackground
  writebash writepowershell sendtoterminal process codeinterpreter python repl`)
const reads = words(`
  read readfile readfiles view viewimage open cat ls list listdir listdirectory glob grep rg search searchfiles searchcode
  codebase semanticsearch filesearch textsearch grepsearch findfiles findtestfiles usages listcodeusages changes getchangedfiles problems
  geterrors fetch fetchwebpage webfetch websearch githubrepo think todo todowrite todoread updatetodo managetodolist
  task agent runsubagent custom-agent delegatework delegatetask reportout askuser askuserquestion readbash readpowershell
  terminallastcommand terminalselection getterminaloutput testfailure notebookread`)

/** Returns the name and arguments of a call. Arguments can be an object, JSON text, or the text of a patch. */
export function readCall(payload) {
  const name = payload.tool_name ?? payload.toolName
  const given = payload.tool_input ?? payload.toolInput ?? payload.toolArgs ?? payload.tool_args ?? {}
  return { name: typeof name === 'string' ? name : undefined, input: parsed(given) }
}

function parsed(given) {
  if (typeof given !== 'string') return typeof given === 'object' && given !== null ? given : {}
  try {
    const value = JSON.parse(given)
    return typeof value === 'object' && value !== null ? value : { input: given }
  } catch {
    return { input: given }
  }
}

/** Returns `edit`, `execute`, `read` or `other`: by the tool's name or, for unknown names, by its arguments. */
export function kindOf({ name, input }) {
  // This tool has several commands, and `view` only reads.
  if (/^str_?replace/i.test(name ?? '') && input.command === 'view') return 'read'
  const parts = String(name ?? '').split(/[/.:]|__/)
  const plain = (part) => part.toLowerCase().replaceAll(/[-_\s]/g, '')
  const own = plain(parts.at(-1) ?? '').replace(/^(?:copilot|vscode|functions)/, '')
  if (edits.has(own)) return 'edit'
  if (commands.has(own)) return 'execute'
  const group = parts.length > 1 ? plain(parts[0] ?? '') : ''
  if (group === 'edit') return 'edit'
  if (group === 'execute' || group === 'runcommands' || group === 'runtasks') return 'execute'
  if (reads.has(own)) return 'read'
  if (commandIn(input) !== undefined) return 'execute'
  return writes(input) ? 'edit' : 'other'
}

/** The command line of a call. */
export function commandIn(input) {
  for (const key of ['command', 'commandLine', 'command_line', 'cmd', 'script'])
    if (typeof input[key] === 'string') return input[key]
    else if (Array.isArray(input[key])) return input[key].map(quoted).join(' ')
  return undefined
}

function quoted(word) {
  return `'${String(word).replaceAll("'", "'\\''")}'`
}

const pathKey =
  /^(?:from|to|source|destination|(?:absolute|target|old|new|source|destination|dest|src|from|to|notebook|dir|file|folder)?_?(?:path|paths|file|files|filename|uri|uris|folder|directory))$/i
const contentKey =
  /^(?:content|contents|text|file_?text|code|patch|patch_?text|diff|edits?|replacements|(?:old|new)_?(?:str|string|text|source)|insert_?text)$/i

function writes(input) {
  const keys = Object.keys(input)
  return keys.some((key) => contentKey.test(key)) && filesIn(input).length > 0
}

/** Returns every file that a call names, including files in a patch or in list items. File content is not searched. */
export function filesIn(input, depth = 0) {
  if (depth > 4 || typeof input !== 'object' || input === null) return []
  if (Array.isArray(input)) return input.flatMap((part) => filesIn(part, depth + 1))
  return Object.entries(input).flatMap(([key, value]) => {
    if (typeof value === 'string') {
      if (pathKey.test(key)) return [value]
      return /^(?:input|patch|patch_?text|diff)$/i.test(key) ? filesInPatch(value) : []
    }
    if (pathKey.test(key) && Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return value
    return filesIn(value, depth + 1)
  })
}

/** Both forms: `*** Update File: x`, and `+++ b/x`. */
function filesInPatch(text) {
  return text.split(/\r?\n/).flatMap((line) => {
    const named = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/.exec(line)?.[1]
    const moved = /^(?:rename|copy) (?:from|to) (.+)$/.exec(line)?.[1]
    const diffed = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(line)?.[1]
    const found = (named ?? moved ?? diffed)?.trim()
    return found === undefined || found === '/dev/null' ? [] : [found]
  })
}

/** As an absolute path. */
export function absolute(file, cwd) {
  const plain = file.startsWith('file:') ? fileURLToPath(file) : file
  return path.resolve(cwd, plain)
}

function words(text) {
  return new Set(text.trim().split(/\s+/))
}
