/** The top-level commands, in the order of the help. Used by both the help and the parser. */
export const commands = {
  run: 'Run an agent on a task and show the tree of agents while it works',
  chat: 'Chat with an agent and its team',
  resume: 'Resume a session; short for "cadre sessions resume"',
  sessions: 'List, inspect, resume and cancel sessions, and answer their questions',
  approvals: 'List pending approvals',
  approve: 'Approve a pending call: once, for its session, or with a permanent rule',
  reject: 'Reject a pending call and tell the agent why',
  undo: 'Undo the file changes from the last turn in this folder',
  redo: 'Restore the file changes from the last undone turn',
  open: 'Open the page: see what agents do and decide approvals, in your browser',
  up: 'Run the daemon: watch a home directory and act on its files',
  down: "Stop a home directory's daemon",
  status: 'Show the daemon, its sessions, pending approvals and problems in files',
  worker: 'Run sessions on this machine for a daemon that uses the Restate engine',
  engine: 'Run a Restate server, which distributes sessions over several machines',
  tasks: 'Query and change task files; without a query, list open tasks',
  workspace: 'List, diff, merge, undo and clean up session workspaces',
  acp: 'Run agents for an editor (Zed, JetBrains, Neovim and others) with the Agent Client Protocol',
  init: 'Add a built-in team of agents to a project',
  agents: 'List, inspect, edit and convert agents',
  lint: 'Check agent files for errors and for differences between hosts; --fix applies safe fixes',
  policy: 'Explain what the policy decides for a call, and test policies with tables of calls',
  people: 'List, add and remove the people who may use a home, with their roles',
  record: 'Record a finished run as a fixture for "cadre replay"',
  replay: 'Replay a recorded run offline, and report what differs',
  mcp: 'Run Cadre as an MCP server for other programs; list, test and add MCP servers for your agents',
  hooks: "List this project's hooks, and run them on a sample event",
  setup: 'Choose a model: find servers and keys, test one request, and store the choice',
  config: 'Show and change settings, with the source of each value',
  login: 'Sign in to GitHub Copilot, and install its language server if it is missing',
  logout: 'Sign out of GitHub Copilot',
  models: 'List the models from all configured backends: context window, price, and the default',
  demo: 'Run a demo offline: a scripted team in its own folder',
  doctor: 'Check installation, configuration and network, and suggest fixes',
  completion: 'Print a completion script for bash, zsh or fish',
} as const

export const sessionCommands: readonly string[] = ['list', 'show', 'tree', 'resume', 'cancel', 'answer']

export const workspaceCommands: readonly string[] = ['list', 'diff', 'merge', 'rollback', 'clean']

export const policyCommands: readonly string[] = ['explain', 'test']

export const peopleCommands: readonly string[] = ['list', 'add', 'remove']

export const agentCommands: readonly string[] = ['list', 'show', 'import', 'export']

export const hookCommands: readonly string[] = ['list', 'test']

export const engineCommands: readonly string[] = ['start']

export const configCommands: readonly string[] = ['list', 'get', 'set', 'edit']

export const mcpCommands: readonly string[] = [
  'serve',
  'list',
  'test',
  'add',
  'remove',
  'approve',
  'login',
  'logout',
  'install',
]
