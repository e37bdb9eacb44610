import { fixAgentText, readAgentText } from '@cadre/agents'
import * as vscode from 'vscode'
import { codeSpan } from '../../markdown.ts'
import { changedPart } from './changed-part.ts'
import { aboutTool } from './dialect-tools.ts'
import { findKey, headerDialect, valueKindOf } from './header-keys.ts'
import { type HeaderPosition, positionInHeader } from './header-position.ts'
import { hoverParts } from './hover-parts.ts'
import { type AgentSources, knownAgents, namesFor } from './known-names.ts'
import { type Suggestion, suggestValues } from './suggest.ts'

/** Headers are short. Lines after this are not read. */
const maxLines = 1_000

/** Languages that VS Code completes itself: its own keys, tools and models. */
const ownLanguages = new Set(['chatagent', 'chatmode', 'prompt'])

export async function completeHeader(
  document: vscode.TextDocument,
  position: vscode.Position,
  services: AgentSources,
): Promise<vscode.CompletionItem[]> {
  const spot = spotAt(document, position)
  if (spot === undefined) return []
  const dialect = dialectOf(document)
  const names = await namesFor(services, document.uri, dialect)
  const isBeside = ownLanguages.has(document.languageId)
  return suggestValues({ spot, dialect, names, isBeside }).map((suggestion) =>
    itemOf(suggestion, rangeOf(spot, position.line)),
  )
}

const kinds: Readonly<Record<Suggestion['kind'], vscode.CompletionItemKind>> = {
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.EnumMember,
  tool: vscode.CompletionItemKind.Function,
  agent: vscode.CompletionItemKind.User,
  model: vscode.CompletionItemKind.Value,
}

function itemOf({ label, insert, about, kind }: Suggestion, range: vscode.Range): vscode.CompletionItem {
  const item = new vscode.CompletionItem(label, kinds[kind])
  item.insertText = insert
  item.range = range
  if (about !== undefined) item.detail = about
  return item
}

export async function hoverHeader(
  document: vscode.TextDocument,
  position: vscode.Position,
  services: AgentSources,
): Promise<vscode.Hover | undefined> {
  const spot = spotAt(document, position)
  if (spot === undefined || spot.written === '') return undefined
  if (position.character < spot.start || position.character > spot.end) return undefined
  const text = await aboutSpot(document, spot, services)
  return text === undefined ? undefined : hover(text, rangeOf(spot, position.line))
}

async function aboutSpot(
  document: vscode.TextDocument,
  spot: HeaderPosition,
  services: AgentSources,
): Promise<string | undefined> {
  if (spot.kind === 'key') return findKey(dialectOf(document), spot.path, spot.written)?.about
  switch (valueKindOf(spot.path)) {
    case 'tools':
      return `In Cadre: ${aboutTool(spot.written)}`
    case 'agents': {
      const wanted = spot.written.toLowerCase()
      const agents = await knownAgents(services, document.uri)
      const agent = agents.find(({ name }) => name.toLowerCase() === wanted)
      return agent?.description
    }
    default:
      return undefined
  }
}

/** Descriptions come from files, so links, images and commands in them are disabled. */
function hover(text: string, range: vscode.Range): vscode.Hover {
  const markdown = new vscode.MarkdownString()
  for (const { text: part, isCode } of hoverParts(text))
    if (isCode) markdown.appendMarkdown(codeSpan(part))
    else markdown.appendText(part)
  return new vscode.Hover(markdown, range)
}

/** Fixes the file, like `cadre lint --fix`. */
export function fixesFor(
  document: vscode.TextDocument,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction[] {
  const text = document.getText()
  const fix = fixAgentText({ path: document.uri.fsPath, text })
  if (fix.kind !== 'fixed') return []
  const { start, end, text: by } = changedPart(text, fix.text)
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end))
  const action = (title: string, kind: vscode.CodeActionKind) => {
    const made = new vscode.CodeAction(title, kind)
    made.edit = new vscode.WorkspaceEdit()
    made.edit.replace(document.uri, range, by)
    return made
  }
  const quick = action(
    'Fix this agent file (does not change its permissions)',
    vscode.CodeActionKind.QuickFix,
  )
  quick.diagnostics = [...diagnostics]
  quick.isPreferred = true
  return [quick, action('Fix agent file', vscode.CodeActionKind.SourceFixAll.append('cadre'))]
}

function spotAt(
  document: vscode.TextDocument,
  { line, character }: vscode.Position,
): HeaderPosition | undefined {
  const count = Math.min(document.lineCount, maxLines)
  const lines = Array.from({ length: count }, (_, index) => document.lineAt(index).text)
  return positionInHeader({ lines, line, character, isYaml: /\.ya?ml$/i.test(document.uri.fsPath) })
}

function rangeOf({ start, end }: HeaderPosition, line: number): vscode.Range {
  return new vscode.Range(line, start, line, end)
}

function dialectOf(document: vscode.TextDocument) {
  const head = document.getText(new vscode.Range(0, 0, Math.min(document.lineCount, maxLines), 0))
  return headerDialect(readAgentText({ path: document.uri.fsPath, text: head }).dialect)
}
