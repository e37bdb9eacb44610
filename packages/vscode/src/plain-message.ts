/** Text for a notification, in which VS Code turns `[text](target)` into a link: text of agents and files must not become one. */
export function plainMessage(text: string): string {
  return text.replace(/\]\(/g, '] (')
}
