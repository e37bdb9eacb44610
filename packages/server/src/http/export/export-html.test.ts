import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { ExportedRun } from '@cadre/api'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { dataText, exportHtml } from './export-html.ts'

const run: ExportedRun = {
  format: 1,
  version: '0.0.0',
  exportedAt: '2026-11-15T10:00:00.000Z',
  root: 'lead-1',
  shown: 'lead-1',
  sessions: [],
  approvals: [],
}

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-export-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text)
  return folder
}

it('allows exactly the script and the style in the file, by their hashes', () => {
  const [script, style] = ['console.log("ü")', 'a { color: red }']
  const html = exportHtml(run, folderWith({ 'export.js': script, 'export.css': style }))
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? ''
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ])
  // No element before the policy can load anything.
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style'))
})

it('escapes the title', () => {
  const html = exportHtml(
    { ...run, root: '</title><script>' },
    folderWith({ 'export.js': '', 'export.css': '' }),
  )
  expect(html).toContain('<title>&#60;/title&#62;&#60;script&#62; · Cadre</title>')
})

it('explains what to do if the page is not built', () => {
  expect(() => exportHtml(run, folderWith({}))).toThrow('the page is not built')
})

it.each(['</script>', '<script', '<!--', 'a\r\nb'])('rejects a script that contains %j', (text) => {
  expect(() => exportHtml(run, folderWith({ 'export.js': text, 'export.css': '' }))).toThrow('export.js')
})

it('no data can end its element, start a comment or another script, or lose a character', () => {
  const nasty = fc.constantFrom(
    '</script>',
    '<!--',
    '<script',
    '-->',
    ']]>',
    '\u2028',
    '\u2029',
    '&lt;',
    '\\u003c',
    '\ud800',
  )
  const text = fc
    .array(fc.oneof(nasty, fc.string({ unit: 'binary' })), { maxLength: 8 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(fc.dictionary(text, text), (value) => {
      const shown = dataText(value)
      expect(shown).not.toMatch(/[<>&\u2028\u2029]/)
      expect(shown.isWellFormed()).toBe(true)
      expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { numRuns: 200, seed: Number(process.env['CADRE_SEED'] ?? 7) },
  )
})
