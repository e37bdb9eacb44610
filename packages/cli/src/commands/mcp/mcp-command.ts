import { buildRouteMap } from '@stricli/core'
import { defineCommand } from '../../app/command.ts'
import { booleanFlag, countFlag, homeFlag, jsonFlag, textFlag, trustFlag } from '../../app/flags.ts'
import { commands } from '../../commands.ts'

const server = { brief: 'The name of the MCP server', parse: String, placeholder: 'server' } as const
const workspace = textFlag('The project folder; default: the current folder', 'DIR')

const list = defineCommand({
  brief: 'List the MCP servers that agents can use, with their tools and their status',
  about:
    'Lists the MCP servers in .vscode/mcp.json, .mcp.json, .github/mcp.json, ~/.copilot/mcp-config.json, the VS Code user profile,\n' +
    'agent files, and mcp.servers in config.yaml. Does not start servers: shows the tools that you approved earlier.\n' +
    'With --json: {"servers": [{"name", "scope", "file", "runs", "status", "sandboxed", "warning", "tools", "pending"}], "diagnostics": […]}.',
  examples: [
    ['mcp list', 'a table'],
    [`mcp list --json | jq -r '.servers[] | select(.pending != []) | .name'`, 'servers with changed tools'],
  ],
  parameters: { flags: { workspace, home: homeFlag, trust: trustFlag, json: jsonFlag } },
  load: async () => (await import('./mcp-list.ts')).listServers,
})

const test = defineCommand({
  brief: 'Start an MCP server, list its tools, and stop it',
  about:
    'Connects to the server as a run does, prints its protocol revision and its tools, and stops it. Does not call or approve tools.\n' +
    'A server from an untrusted folder starts only with --trust. Exits with 1 when the server cannot be used.\n' +
    'With --json: {"server", "status", "revision", "tools": [{"name", "state"}], "reason"}.',
  examples: [
    ['mcp test github', 'connect, and list the tools'],
    ['mcp test github --json', 'print JSON'],
  ],
  parameters: {
    flags: { workspace, home: homeFlag, trust: trustFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [server] },
  },
  load: async () => (await import('./mcp-test.ts')).testServer,
})

const add = defineCommand({
  brief: 'Add an MCP server to your user configuration, or with --project to the project configuration',
  about:
    'Writes the server to mcp.servers in config.yaml, and leaves the rest of the file unchanged. Give an address, or a program and its\n' +
    `arguments after "--". Put values such as tokens in variables: Cadre replaces \${NAME} in config.yaml when the server starts.\n` +
    'Your own servers start in your home directory, so do not use relative paths.',
  examples: [
    ['mcp add docs https://mcp.example.com/mcp', 'a server at an address'],
    [
      `mcp add files -- npx -y @modelcontextprotocol/server-filesystem '\${workspaceFolder}'`,
      'a program that Cadre starts, for the folder of each run',
    ],
    [
      `mcp add tracker --env 'TOKEN=\${TRACKER_TOKEN}' --effect read -- tracker-mcp`,
      'agents may call its tools without approval, because they only read',
    ],
  ],
  parameters: {
    flags: {
      env: {
        ...textFlag('A variable for the program; repeatable', 'NAME=VALUE'),
        variadic: true,
      },
      header: {
        ...textFlag('A header for requests to the address; repeatable', 'NAME=VALUE'),
        variadic: true,
      },
      effect: {
        kind: 'enum',
        values: ['read', 'write', 'execute', 'outbound'],
        brief: 'The effect of the tools; default: outbound, so that calls need approval',
        placeholder: 'EFFECT',
        optional: true,
      },
      tools: { ...textFlag('Offer only this tool; * is a wildcard; repeatable', 'NAME'), variadic: true },
      project: booleanFlag("Change config.yaml in the project's home directory"),
      home: homeFlag,
      json: jsonFlag,
    },
    positional: {
      kind: 'array',
      minimum: 1,
      parameter: {
        brief: 'The name, then an address or a program',
        parse: String,
        placeholder: 'name',
      },
    },
  },
  load: async () => (await import('./mcp-add.ts')).addServer,
})

const remove = defineCommand({
  brief: 'Remove an MCP server from your user or project configuration',
  about:
    'Removes the server from mcp.servers in config.yaml, and deletes what Cadre stored about it: approved tools, sign-in and values.\n' +
    "Does not remove servers from other programs' files: prints the file to edit.",
  examples: [['mcp remove docs', 'remove it and its sign-in']],
  parameters: {
    flags: { home: homeFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [server] },
  },
  load: async () => (await import('./mcp-remove.ts')).removeServer,
})

const approve = defineCommand({
  brief: "Show an MCP server's new and changed tools, and approve them",
  about:
    'Agents cannot use a tool whose definition is new or has changed since you approved it. This command connects to the server, shows\n' +
    'each difference as models would see it, and asks whether to approve it. Without a terminal, it approves only with --yes.\n' +
    'With --json: {"server", "new", "changed", "removed", "approved"}.',
  examples: [
    ['mcp approve github', 'show the differences, and ask whether to approve them'],
    ['mcp approve github --yes', 'approve without asking'],
  ],
  parameters: {
    flags: {
      yes: booleanFlag('Approve without asking'),
      workspace,
      home: homeFlag,
      trust: trustFlag,
      json: jsonFlag,
    },
    positional: { kind: 'tuple', parameters: [server] },
  },
  load: async () => (await import('./mcp-approve.ts')).approveServer,
})

const login = defineCommand({
  brief: 'Sign in to an MCP server, or enter the values that its configuration asks for',
  about:
    'Signs in with OAuth: prints an address to open in a browser, and waits for the answer on this machine. Asks for the values of\n' +
    `\${input:…} in the server's configuration. Stores both in this machine's secret store, and never prints them.\n` +
    'With --json: {"type": "address", "url"}, then {"type": "login", "server", "status"}.',
  examples: [
    ['mcp login docs', 'sign in with a browser'],
    ['mcp login docs --json', 'print the address as JSON'],
  ],
  parameters: {
    flags: { workspace, home: homeFlag, trust: trustFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [server] },
  },
  load: async () => (await import('./mcp-login.ts')).logInToServer,
})

const logout = defineCommand({
  brief: "Remove an MCP server's stored sign-in and values from this machine",
  examples: [['mcp logout docs', 'the next run needs a new sign-in']],
  parameters: {
    flags: { workspace, home: homeFlag, trust: trustFlag, json: jsonFlag },
    positional: { kind: 'tuple', parameters: [server] },
  },
  load: async () => (await import('./mcp-logout.ts')).logOutOfServer,
})

const serve = defineCommand({
  brief: 'Run Cadre as an MCP server for other programs; same as "cadre mcp" alone',
  about:
    'Lets an MCP client, such as Claude Code, Copilot CLI or VS Code, delegate work to agents and teams in a folder, follow it, and get\n' +
    'the result. Speaks MCP on standard input and output. With --http, it listens on 127.0.0.1 and prints its address and a random\n' +
    'bearer token on standard error. A delegated run has its own process: it continues when the client or this server ends.',
  examples: [
    ['mcp', 'serve on standard input and output; clients start this command'],
    ['mcp --read-only', 'delegated runs cannot change anything'],
    ['mcp --http --port 4100 --token-file token.txt', 'serve over HTTP on this machine'],
  ],
  parameters: {
    flags: {
      http: booleanFlag('Serve over streamable HTTP on 127.0.0.1'),
      port: countFlag('The port for --http; default: any free port', 1),
      tokenFile: textFlag('Write the bearer token to this file instead of standard error', 'FILE'),
      readOnly: booleanFlag('No delegated run may write files, run programs or reach the network'),
      workspace: textFlag('The folder the agents may change; default: the current folder', 'DIR'),
      home: homeFlag,
    },
  },
  load: async () => (await import('./mcp-serve.ts')).serveMcp,
})

const install = defineCommand({
  brief: 'Add Cadre as an MCP server to VS Code, Copilot CLI or Claude Code',
  about:
    'Writes the entry for "cadre mcp" to the program\'s configuration, shows the difference, and leaves the rest of the file unchanged.\n' +
    'Does not edit a file that contains errors. Defaults: .vscode/mcp.json for VS Code, ~/.copilot/mcp-config.json for Copilot CLI and\n' +
    '.mcp.json for Claude Code. With --json: {"type", "to", "file", "changed", "dryRun", "entry"}.',
  examples: [
    ['mcp install --to claude', "in this project's .mcp.json"],
    ['mcp install --to vscode --user', 'in your profile, for all folders'],
    ['mcp install --to copilot --dry-run', 'only show the difference'],
    ['mcp install --to claude --remove', 'remove the entry'],
  ],
  parameters: {
    flags: {
      to: {
        kind: 'enum',
        values: ['vscode', 'copilot', 'claude'],
        brief: 'The program that should use Cadre',
        placeholder: 'PROGRAM',
      },
      user: booleanFlag("Write to the program's configuration for this user"),
      project: booleanFlag("Write to this project's file"),
      readOnly: booleanFlag('Delegated runs cannot write files, run programs or reach the network'),
      remove: booleanFlag('Remove the entry'),
      dryRun: booleanFlag('Show the difference without writing it'),
      json: jsonFlag,
    },
  },
  load: async () => (await import('./mcp-install.ts')).installMcp,
})

const work = defineCommand({
  brief: 'Run delegated work for the MCP server; the server starts this command',
  examples: [['mcp work lead-k3x09q2f', 'start or resume this delegated run']],
  parameters: {
    flags: { workspace, home: homeFlag },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'The id of the delegated run', parse: String, placeholder: 'session' }],
    },
  },
  load: async () => (await import('./mcp-work.ts')).runDelegatedWork,
})

const routes = { serve, install, list, test, add, remove, approve, login, logout, work }

export const mcpRoutes = buildRouteMap({
  routes: Object.assign(Object.create(null) as object, routes),
  docs: {
    hideRoute: { work: true } as Record<string, boolean>,
    brief: commands.mcp,
    fullDescription: `${commands.mcp}.\n\nEXAMPLES\n  cadre mcp list\n    the MCP servers that agents can use`,
  },
})
