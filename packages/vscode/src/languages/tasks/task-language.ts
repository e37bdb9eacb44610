import { readFile } from 'node:fs/promises'
import { rawOf } from '@cadre/disk'
import { lintTaskFile, readTaskFile, readTasks, type TaskItem } from '@cadre/tasks'
import * as vscode from 'vscode'
import { type AgentSources, knownAgents } from '../agents/known-names.ts'
import { positionInTask, type TaskPosition, taskFields, taskMarkers } from './task-position.ts'

export async function checkTasks(document: vscode.TextDocument): Promise<vscode.Diagnostic[]> {
  return lintTaskFile(rawOf(document.getText())).map(({ severity, code, message, line, column }) => {
    const { text } = document.lineAt(line - 1)
    const start = Math.min(column - 1, text.length)
    const range = new vscode.Range(line - 1, start, line - 1, Math.max(start, text.trimEnd().length))
    const diagnostic = new vscode.Diagnostic(
      range,
      message,
      severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning,
    )
    diagnostic.source = 'Cadre'
    diagnostic.code = code
    return diagnostic
  })
}

interface PlacedTask {
  readonly item: TaskItem
  readonly first: number
  readonly last: number
}

/** The tasks with their line ranges, including subtasks. Zero-based. */
function placedTasks(document: vscode.TextDocument): PlacedTask[] {
  const text = document.getText()
  const raw = rawOf(text)
  const ends = new Map(readTasks(raw).map(({ line, treeEnd }) => [line, treeEnd]))
  const lineAt = lineCounter(raw)
  return readTaskFile(raw).tasks.map((item) => {
    const end = ends.get(item.line)
    const last = end === undefined ? item.line - 1 : lineAt(end - 1)
    return { item, first: item.line - 1, last: Math.max(item.line - 1, last) }
  })
}

function lineCounter(text: string): (index: number) => number {
  const starts: number[] = []
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at)
  return (index) => {
    let low = 0
    let high = starts.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) < index) low = middle + 1
      else high = middle
    }
    return low
  }
}

export function foldTasks(document: vscode.TextDocument): vscode.FoldingRange[] {
  return placedTasks(document)
    .filter(({ first, last }) => last > first)
    .map(({ first, last }) => new vscode.FoldingRange(first, last))
}

export function taskSymbols(document: vscode.TextDocument): vscode.DocumentSymbol[] {
  const top: vscode.DocumentSymbol[] = []
  const open: { symbol: vscode.DocumentSymbol; depth: number }[] = []
  for (const { item, first, last } of placedTasks(document)) {
    const symbol = new vscode.DocumentSymbol(
      item.title || '(no title)',
      [item.state, ...item.who.map((name) => `@${name}`)].join(' '),
      vscode.SymbolKind.Event,
      new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER),
      new vscode.Range(first, 0, first, Number.MAX_SAFE_INTEGER),
    )
    while ((open.at(-1)?.depth ?? -1) >= item.depth) open.pop()
    const above = open.at(-1)
    if (above === undefined) top.push(symbol)
    else above.symbol.children.push(symbol)
    open.push({ symbol, depth: item.depth })
  }
  return top
}

export async function completeTask(
  document: vscode.TextDocument,
  position: vscode.Position,
  services: AgentSources,
): Promise<vscode.CompletionItem[]> {
  const isBelowTask = isBelow(document, position.line)
  const spot = positionInTask(document.lineAt(position.line).text, position.character, isBelowTask)
  if (spot === undefined) return []
  const range = new vscode.Range(position.line, spot.start, position.line, spot.end)
  const items = await itemsFor(spot, document, services)
  for (const item of items) item.range = range
  return items
}

async function itemsFor(
  { kind }: TaskPosition,
  document: vscode.TextDocument,
  services: AgentSources,
): Promise<vscode.CompletionItem[]> {
  switch (kind) {
    case 'marker':
      return taskMarkers.map(({ marker, state }) =>
        itemOf({ label: `[${marker}] ${state}`, insert: marker, kind: vscode.CompletionItemKind.EnumMember }),
      )
    case 'agent':
      return [
        ...(await knownAgents(services, document.uri)).map(({ name, description }) =>
          itemOf({ label: name, about: description, kind: vscode.CompletionItemKind.User }),
        ),
        itemOf({ label: 'human', about: 'Assigned to a person', kind: vscode.CompletionItemKind.User }),
      ]
    case 'tag': {
      const tags = readTaskFile(rawOf(document.getText())).tasks.flatMap((task) => task.tags)
      return [...new Set(tags)].map((label) => itemOf({ label, kind: vscode.CompletionItemKind.Keyword }))
    }
    case 'id':
      return (await siblingTasks(document)).flatMap(({ id, title }) =>
        id === undefined
          ? []
          : [itemOf({ label: id, about: title, kind: vscode.CompletionItemKind.Reference })],
      )
    case 'field':
      return taskFields.map(({ key, about, value = '' }) =>
        itemOf({
          label: key,
          insert: `${key}: ${value}`,
          about,
          kind: vscode.CompletionItemKind.Property,
        }),
      )
    case 'task': {
      const item = itemOf({
        label: '- [ ] task',
        about: 'A task for an agent',
        kind: vscode.CompletionItemKind.Snippet,
      })
      item.filterText = '- [ ] task'
      item.insertText = new vscode.SnippetString('- [ ] @')
        .appendPlaceholder('agent')
        .appendText(' "')
        .appendPlaceholder('Describe the task')
        .appendText('"')
      return [item]
    }
  }
}

interface Offer {
  readonly label: string
  readonly insert?: string
  readonly about?: string
  readonly kind: vscode.CompletionItemKind
}

function itemOf({ label, insert = label, about, kind }: Offer): vscode.CompletionItem {
  const item = new vscode.CompletionItem(label, kind)
  item.insertText = insert
  if (about !== undefined) item.detail = about
  return item
}

/** True if the nearest line above with less indent, or the indent of a field, is part of a task. */
function isBelow(document: vscode.TextDocument, line: number): boolean {
  if (!/^\s/.test(document.lineAt(line).text)) return false
  for (let at = line - 1; at >= 0; at--) {
    const { text } = document.lineAt(at)
    if (/^\s*[-*+] +\[[^\]]*\](?: |$)/.test(text)) return true
    if (text.trim() === '' || /^\S/.test(text)) return false
  }
  return false
}

const maxFiles = 100

/** Ids are unique across the task files in a home; neighbouring files are part of the same home. */
async function siblingTasks(document: vscode.TextDocument): Promise<readonly TaskItem[]> {
  const folder = vscode.Uri.joinPath(document.uri, '..')
  const beside = await vscode.workspace.findFiles(
    new vscode.RelativePattern(folder, '*.task.md'),
    null,
    maxFiles,
  )
  const others = beside.filter(({ fsPath }) => fsPath !== document.uri.fsPath)
  const texts = await Promise.all(others.map(({ fsPath }) => readFile(fsPath, 'utf8').catch(() => '')))
  return [document.getText(), ...texts].flatMap((text) => readTaskFile(rawOf(text)).tasks)
}
