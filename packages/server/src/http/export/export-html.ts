/**
 * A self-contained HTML file.
 *
 * 1. It cannot load or send anything: its content security policy allows exactly one script and one style, by their hashes.
 * 2. The data is JSON without any `<`, in an element that browsers do not run, so an agent's text cannot end the element or start a comment.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { ExportedRun } from '@cadre/api'
import { CadreError } from '@cadre/core'
import { hasCode } from '@cadre/disk'
import { pageFolder } from '../page-folder.ts'

/** `folder` contains the page's files. Default: the folder in this package. */
export function exportHtml(run: ExportedRun, folder: string = pageFolder()): string {
  const script = readPart(folder, 'export.js')
  const style = readPart(folder, 'export.css')
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(run.root)} · Cadre</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"><noscript>This file needs JavaScript to show the run. It loads nothing and sends nothing.</noscript></div>
<script type="application/json" id="run">${dataText(run)}</script>
<script>${script}</script>
</body>
</html>
`
}

/** JSON that is safe inside a script element, and in JavaScript. */
export function dataText(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function readPart(folder: string, name: string): string {
  let text: string
  try {
    text = readFileSync(path.join(folder, name), 'utf8')
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    throw new CadreError(
      'configuration',
      'the page is not built. Run "npm run build" in the repository, or install Cadre again.',
      { where: path.join(folder, name), cause: error },
    )
  }
  // The build checks this. A browser would read such text differently, and its hash would not match.
  if (unsafe.test(text)) throw new Error(`unreachable: ${name} cannot be part of an HTML file`)
  return text
}

const unsafe = /<\/?script|<\/style|<!--|[\0\r]/i

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
