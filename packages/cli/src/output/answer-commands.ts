/** The commands that answer a pending approval, or a question about a call in doubt. */
export function answerCommands(id: string, isDoubt: boolean, flags: string): string[] {
  if (!isDoubt) return [`cadre approve ${id}${flags}`, `cadre reject ${id} --reason "…"${flags}`]
  return [
    `cadre approve ${id}${flags}          it was not carried out: run it again`,
    `cadre approve ${id} --done${flags}   it was carried out`,
    `cadre reject ${id}${flags}           do not run it again; the agent has to check`,
  ]
}
