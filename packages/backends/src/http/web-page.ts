/** Recognises HTML by its start. No reply of a model server starts like this. */
export function isWebPage(text: string, type?: string): boolean {
  return /html/i.test(type ?? '') || /^\s*</.test(text)
}

/** `a web page`, with its title if it has one. */
export function webPageName(text: string): string {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim()
  return title ? `a web page: ${title}` : 'a web page'
}
