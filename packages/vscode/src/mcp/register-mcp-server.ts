import * as vscode from 'vscode'

const providerId = 'copilotMultiAgent.mcp'

/** Offers the MCP server of Cadre to the agent mode of VS Code. Does nothing in versions that cannot use it. */
export function registerMcpServer(context: Pick<vscode.ExtensionContext, 'extension'>): vscode.Disposable {
  const { lm, workspace } = vscode
  if (typeof lm?.registerMcpServerDefinitionProvider !== 'function') return new vscode.Disposable(() => {})
  const changed = new vscode.EventEmitter<void>()
  const version = String(context.extension.packageJSON.version)
  return vscode.Disposable.from(
    changed,
    workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    lm.registerMcpServerDefinitionProvider(providerId, {
      onDidChangeMcpServerDefinitions: changed.event,
      async provideMcpServerDefinitions() {
        const { serverDefinitions } = await import('./server-definitions.ts')
        const open = (workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file')
        const folders = open.map(({ uri }) => uri.fsPath)
        const { isTrusted } = workspace
        return serverDefinitions({ folders, isTrusted, env: process.env }).map((found) => {
          const definition = new vscode.McpStdioServerDefinition(
            found.label,
            found.command,
            [...found.args],
            {},
            version,
          )
          definition.cwd = vscode.Uri.file(found.cwd)
          return definition
        })
      },
    }),
  )
}
