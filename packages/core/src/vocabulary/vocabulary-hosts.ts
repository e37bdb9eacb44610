import type { ToolClass } from '../ports/agent.ts'

/** Programs whose tool names Cadre knows. `copilot` covers VS Code, Copilot CLI and github.com. */
export type NamingHost = 'claude' | 'opencode' | 'copilot'

export interface HostVocabulary {
  /** Its names for the tools of a class. */
  readonly classes: { readonly [of in ToolClass]?: readonly string[] }
  /** Its names for one of our tools. A name means more than the tool only if the host has no narrower one. */
  readonly tools: { readonly [tool: string]: readonly string[] }
  /** Further names that it accepts. */
  readonly also: readonly string[]
  /** The keys of `foreignToolNames` whose names it accepts. */
  readonly own: readonly string[]
  readonly ignoresCase?: boolean
}

export const hostVocabularies: { readonly [host in NamingHost]: HostVocabulary } = {
  claude: {
    classes: {
      read: ['Read'],
      search: ['Grep', 'Glob'],
      edit: ['Edit', 'Write', 'NotebookEdit'],
      execute: ['Bash'],
      web: ['WebFetch', 'WebSearch'],
      agent: ['Agent'],
      todo: ['TodoWrite', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
      message: ['SendMessage'],
    },
    tools: {
      read_file: ['Read'],
      find_files: ['Glob'],
      search_files: ['Grep'],
      write_file: ['Write'],
      edit_file: ['Edit'],
      web_fetch: ['WebFetch'],
      execute_command: ['Bash'],
      delegateWork: ['Agent'],
      delegate_task: ['Agent'],
      todo: ['TodoWrite'],
      create_task: ['TaskCreate'],
      update_task: ['TaskUpdate'],
      query_tasks: ['TaskList', 'TaskGet'],
      send_message: ['SendMessage'],
      create_team: ['TeamCreate'],
      delete_team: ['TeamDelete'],
    },
    also: ['Task', 'LS', 'MultiEdit', 'NotebookRead', 'TodoRead', 'PowerShell'],
    own: ['Claude Code'],
  },
  opencode: {
    classes: {
      read: ['read', 'list'],
      search: ['grep', 'glob'],
      edit: ['edit', 'write', 'patch'],
      execute: ['bash'],
      web: ['webfetch', 'websearch'],
      agent: ['task'],
      todo: ['todowrite', 'todoread'],
    },
    tools: {
      read_file: ['read'],
      list_directory: ['list'],
      find_files: ['glob'],
      search_files: ['grep'],
      write_file: ['write'],
      // In Cadre, `edit` is a class; opencode accepts `patch` for the same permission.
      edit_file: ['patch'],
      web_fetch: ['webfetch'],
      execute_command: ['bash'],
      delegateWork: ['task'],
      delegate_task: ['task'],
      todo: ['todowrite', 'todoread'],
    },
    also: ['multiedit', 'apply_patch', 'codesearch'],
    own: ['opencode'],
  },
  copilot: {
    classes: {},
    tools: {
      read_file: ['Read', 'read/readFile'],
      view_image: ['read/viewImage'],
      list_directory: ['search/listDirectory'],
      find_files: ['Glob', 'search/fileSearch'],
      search_files: ['Grep', 'search/textSearch'],
      write_file: ['Write', 'edit/createFile'],
      edit_file: ['Edit', 'edit/editFiles'],
      create_directory: ['edit/createDirectory'],
      web_fetch: ['WebFetch', 'web/fetch'],
      get_errors: ['read/problems'],
      execute_command: ['Bash', 'execute/runInTerminal'],
      delegateWork: ['Task', 'agent/runSubagent'],
      delegate_task: ['Task', 'agent/runSubagent'],
      todo: ['TodoWrite', 'todos'],
    },
    also: [
      ...['read', 'search', 'edit', 'execute', 'web', 'agent', 'custom-agent', 'todo'],
      ...['NotebookRead', 'NotebookEdit', 'MultiEdit', 'WebSearch', 'shell', 'powershell'],
      ...['readFile', 'viewImage', 'listDirectory', 'fileSearch', 'textSearch', 'codebase', 'editFiles'],
      ...[
        'createFile',
        'createDirectory',
        'fetch',
        'problems',
        'runCommands',
        'runInTerminal',
        'runSubagent',
      ],
      ...['view', 'create', 'rg', 'apply_patch', 'web_fetch', 'update_todo'],
    ],
    own: ['VS Code', 'Copilot CLI'],
    ignoresCase: true,
  },
}
