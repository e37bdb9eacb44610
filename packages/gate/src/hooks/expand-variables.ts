/** Replaces `$NAME` and `${NAME}`. An unknown variable becomes an empty text. */
export function expandVariables(text: string, known: NodeJS.ProcessEnv): string {
  return text.replace(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced: string | undefined, bare: string | undefined) => known[(braced ?? bare) as string] ?? '',
  )
}
