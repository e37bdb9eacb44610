/** Splits a text into inline code and the rest. */
export function hoverParts(text: string): { readonly text: string; readonly isCode: boolean }[] {
  return text
    .split(/(`[^`\r\n]+`)/)
    .filter((part) => part !== '')
    .map((part) =>
      /^`[^`\r\n]+`$/.test(part) ? { text: part.slice(1, -1), isCode: true } : { text: part, isCode: false },
    )
}
