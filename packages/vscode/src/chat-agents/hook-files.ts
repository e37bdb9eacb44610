/** Files for the hooks of the contributed agents, by path below `~/.config/cadre/vscode`. */
export interface HookFiles {
  readonly [path: string]: string
}

/** `node` is the program that runs the scripts: that of VS Code itself, so that nobody has to install Node. */
export function hookRunners(node: string): HookFiles {
  return { 'run-hook.sh': forShell(node), 'run-hook.cmd': forWindows(node) }
}

// VS Code treats every exit code but 2 as a warning. The scripts exit with 0 when they have decided, so any other exit code
// must deny.
function forShell(node: string): string {
  return `# Written by the VS Code extension Copilot Multi-Agent. Runs a hook for its agents: run-hook.sh SCRIPT [ARGUMENTS]
node=${quoted(node)}
[ -x "$node" ] || node=node
script="$(dirname "$0")/hooks/scripts/$1.mjs"
shift
[ -f "$script" ] || { echo "$script is missing" >&2; exit 2; }
ELECTRON_RUN_AS_NODE=1 "$node" "$script" "$@"
[ $? -eq 0 ] || exit 2
`
}

function forWindows(node: string): string {
  return [
    '@echo off',
    'rem Written by the VS Code extension Copilot Multi-Agent. Runs a hook for its agents: run-hook.cmd SCRIPT [ARGUMENTS]',
    'setlocal',
    // This file is UTF-8. Without this, cmd would misread a path with a name such as Jürgen.
    'chcp 65001 >nul',
    `set "node=${node.replaceAll('%', '%%')}"`,
    'if not exist "%node%" set "node=node"',
    'set "script=%~dp0hooks\\scripts\\%~1.mjs"',
    // No block in parentheses, because a parenthesis in the path would end it.
    'if not exist "%script%" goto missing',
    'set "ELECTRON_RUN_AS_NODE=1"',
    '"%node%" "%script%" %2 %3 %4 %5',
    // A crashed program has a negative exit code, which `if errorlevel` treats as success.
    'if not "%errorlevel%"=="0" exit /b 2',
    'exit /b 0',
    ':missing',
    'echo "%script%" is missing 1>&2',
    'exit /b 2',
    '',
  ].join('\r\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
