/** Replaces `$NAME` and `${NAME}`. A variable that is not known becomes nothing. */
export function expand(text: string, known: NodeJS.ProcessEnv): string {
  return text.replace(
    /\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g,
    (_, braced: string | undefined, bare: string | undefined) => known[(braced ?? bare) as string] ?? '',
  )
}
