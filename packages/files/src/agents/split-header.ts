/** A Markdown file with a header between two lines of three dashes. */
export type SplitFile =
  | {
      readonly kind: 'split'
      readonly header: string
      readonly headerLine: number
      readonly body: string
      readonly bodyLine: number
    }
  | { readonly kind: 'no-header' }
  | { readonly kind: 'unclosed' }

/**
 * Splits by whole lines, so that dashes within a value or a comment end nothing. The first line must be three dashes and
 * nothing else: a word behind them names a language to evaluate in some tools, and here nothing is evaluated.
 */
export function splitHeader(text: string): SplitFile {
  const lines = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  if (lines[0]?.trimEnd() !== '---') return { kind: 'no-header' }
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end === -1) return { kind: 'unclosed' }
  return {
    kind: 'split',
    header: lines.slice(1, end).join('\n'),
    headerLine: 2,
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
    bodyLine: end + 2,
  }
}
