import { type MarkdownOptions, MarkdownStream } from './markdown-stream.ts'

/** Markdown as lines for a terminal. */
export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  const stream = new MarkdownStream(options)
  return [...stream.add(text), ...stream.end()]
}
