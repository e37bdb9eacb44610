import { findJournalProblems } from '@cadre/journal'
import * as vscode from 'vscode'
import {
  outlineSession,
  roundsOf,
  type SessionEntry,
  type SessionOutline,
  titleOf,
} from './outline-session.ts'

interface Known {
  readonly version: number
  readonly outline: Promise<SessionOutline>
}

const outlines = new WeakMap<vscode.TextDocument, Known>()

function outlineOf(document: vscode.TextDocument): Promise<SessionOutline> {
  const known = outlines.get(document)
  if (known?.version === document.version) return known.outline
  const end = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n'
  const outline = outlineSession(document.getText().split(end), pause)
  outlines.set(document, { version: document.version, outline })
  return outline
}

/** Yields to other work of the extension host. */
function pause(): Promise<unknown> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** VS Code's default limit of folds. In larger files, rounds are folded instead of entries. */
const maxFolds = 5_000

export async function foldSession(document: vscode.TextDocument): Promise<vscode.FoldingRange[]> {
  const { header, entries } = await outlineOf(document)
  const rounds = roundsOf(entries).filter(({ entries: parts }) => parts.length > 1)
  return [...header, ...rounds, ...(rounds.length + entries.length > maxFolds ? [] : entries)]
    .filter(({ first, last }) => last > first)
    .map(({ first, last }) => new vscode.FoldingRange(first, last, vscode.FoldingRangeKind.Region))
}

/** For a longer session, the outline contains only the end, because sending all of it would take too long. */
const maxSymbols = 5_000

export async function sessionSymbols(document: vscode.TextDocument): Promise<vscode.DocumentSymbol[]> {
  const { header, entries } = await outlineOf(document)
  const parts = header.map(
    ({ name, first, last }) =>
      new vscode.DocumentSymbol(
        name,
        '',
        vscode.SymbolKind.Namespace,
        lines(first, last),
        lines(first, first),
      ),
  )
  const rounds = roundsOf(entries.slice(-maxSymbols)).flatMap(({ entries: [head, ...rest], first, last }) => {
    if (head === undefined) return []
    const symbol = symbolOf(head, lines(first, last))
    symbol.children = rest.map((entry) => symbolOf(entry, lines(entry.first, entry.last)))
    return [symbol]
  })
  return [...parts, ...rounds]
}

const kinds: Readonly<Record<string, vscode.SymbolKind>> = {
  user: vscode.SymbolKind.String,
  assistant: vscode.SymbolKind.Method,
  tool_result: vscode.SymbolKind.Object,
  event: vscode.SymbolKind.Event,
}

function symbolOf(entry: SessionEntry, range: vscode.Range): vscode.DocumentSymbol {
  const number = entry.seq === undefined ? '' : `${entry.seq} `
  return new vscode.DocumentSymbol(
    `${number}${titleOf(entry)}`,
    entry.text,
    kinds[entry.role] ?? vscode.SymbolKind.Field,
    range,
    lines(entry.first, entry.first),
  )
}

function lines(first: number, last: number): vscode.Range {
  return new vscode.Range(first, 0, last, Number.MAX_SAFE_INTEGER)
}

const maxProblems = 100

/** Yields to other work of the extension host, however large the file; finds nothing if the text has changed meanwhile. */
export async function checkSession(document: vscode.TextDocument): Promise<vscode.Diagnostic[] | undefined> {
  const { version } = document
  const found: vscode.Diagnostic[] = []
  for (const problem of findJournalProblems(document.getText())) {
    if (problem === undefined) {
      await pause()
      if (document.isClosed || document.version !== version) return undefined
      continue
    }
    const diagnostic = new vscode.Diagnostic(
      lines(problem.line - 1, problem.line - 1),
      problem.message,
      problem.severity === 'error' ? vscode.DiagnosticSeverity.Error : vscode.DiagnosticSeverity.Warning,
    )
    diagnostic.source = 'Cadre'
    if (found.push(diagnostic) >= maxProblems) break
  }
  return found
}
