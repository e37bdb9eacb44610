/** The commands of the first level, in the order of the help. One list for the help and for the parser. */
export const commands = {
  run: 'Have an agent do a piece of work, and show the tree of agents while it goes on',
  chat: 'Talk with an agent and its team, and hand over from one agent to another',
  resume: 'Continue a session; short for `cadre sessions resume`',
  sessions: 'Look at runs, past and present, continue them, stop them, answer their questions',
  approvals: 'What waits for your decision, and what was decided',
  approve: 'Let an agent do what it asked for: once, for its session, or from now on by a rule',
  reject: 'Refuse what an agent asked for, and tell it why',
  up: 'Watch over a home: whatever its files ask for is done, until you stop it',
  down: 'Stop what watches over a home',
  status: 'What watches over a home, what it does, and what is wrong with the files',
  tasks: 'Ask task files with a query, and change them; without one, the open tasks of the home',
  workspace: 'What agents changed in folders of their own: look at it, merge it, undo it',
  init: 'Write a ready team of agents into a project',
  agents:
    'The agents that can be used here, what each may really do, and how to take them to another dialect',
  lint: 'What is wrong with agent files, what each host would make of them, and --fix for what is safe',
  policy: 'What would be decided about a call, and tables of calls that check the rules of a team',
  hooks: 'The hooks that are found here, and what they decide about a sample',
  login: 'Sign in to GitHub Copilot, and install its language server if it is missing',
  logout: 'Sign out of GitHub Copilot',
  models: 'List the models of all configured backends: context window, premium requests, and the default',
  demo: 'A team at work, offline, on a scripted model, in a folder of its own',
  doctor: 'What is installed, configured and reachable, and what to do about the rest',
  completion: 'Print a completion script for bash, zsh or fish',
} as const

export const sessionCommands: readonly string[] = ['list', 'show', 'tree', 'resume', 'cancel', 'answer']

export const workspaceCommands: readonly string[] = ['list', 'diff', 'merge', 'rollback', 'clean']

export const policyCommands: readonly string[] = ['explain', 'test']

export const agentCommands: readonly string[] = ['list', 'show', 'import', 'export']

export const hookCommands: readonly string[] = ['list', 'test']
