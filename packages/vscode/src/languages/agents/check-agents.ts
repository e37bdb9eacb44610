import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Finding, lintFiles, shownPath } from '@cadre/agents'
import * as vscode from 'vscode'
import { type AgentSources, lintKnowledge } from './known-names.ts'
import { unsavedTexts } from './open-texts.ts'
import { rangeOfFinding } from './range-of-finding.ts'

/** Checks these files like `cadre lint`, including unsaved text. */
export async function checkAgents(
  files: readonly string[],
  among: readonly string[],
  services: AgentSources,
): Promise<ReadonlyMap<string, readonly vscode.Diagnostic[]>> {
  const texts = unsavedTexts()
  const checked = new Map<string, readonly vscode.Diagnostic[]>()
  for (const group of byFolder(files)) {
    const [first] = group
    if (first === undefined) continue
    const knowledge = await lintKnowledge(services, vscode.Uri.file(first))
    const cwd = path.dirname(first)
    const byShown = new Map(group.map((file) => [shownPath(cwd, file), file]))
    const { files: linted } = await lintFiles(group, { cwd, knowledge, hosts: [], texts, among })
    for (const { path: shown, diagnostics } of linted) {
      const file = byShown.get(shown)
      if (file !== undefined) checked.set(file, await diagnosticsOf(file, diagnostics, texts.get(file)))
    }
  }
  return checked
}

function byFolder(files: readonly string[]): Iterable<readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const file of files) {
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file))?.uri.toString() ?? ''
    const group = groups.get(folder)
    if (group === undefined) groups.set(folder, [file])
    else group.push(file)
  }
  return groups.values()
}

const severities: Readonly<Record<Finding['severity'], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  // `cadre lint` only counts these; here they are hints in the file, not in the list of problems.
  info: vscode.DiagnosticSeverity.Hint,
}

async function diagnosticsOf(
  file: string,
  findings: readonly Finding[],
  text: string | undefined,
): Promise<vscode.Diagnostic[]> {
  // A note next to agents is not expected to be an agent.
  if (findings.length === 0 || findings.some(({ code }) => code === 'file-for-people')) return []
  const lines = (text ?? (await readFile(file, 'utf8').catch(() => ''))).split(/\r\n|[\r\n]/)
  return findings.map(({ severity, code, message, fix, line = 1 }) => {
    const { start, end } = rangeOfFinding(lines[line - 1] ?? '', message)
    const range = new vscode.Range(line - 1, start, line - 1, end)
    const diagnostic = new vscode.Diagnostic(
      range,
      fix === undefined ? message : `${message} ${fix}`,
      severities[severity],
    )
    diagnostic.source = 'Cadre'
    diagnostic.code = code
    return diagnostic
  })
}
