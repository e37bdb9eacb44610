/** A program for `jq` that reads nothing but its input: no modules, no environment. */
export function isPlainJq(program: string): boolean {
  // Blanks and comments may stand between the $ and the name.
  if (program.includes('$') && /(?<!\w)ENV(?!\w)/.test(program)) return false
  return !/\$__prog|(?<![\w."$-])(?:env|import|include|modulemeta|get_search_list)(?![\w/-]|\.(?:js|json|ya?ml|txt)\b)/.test(
    program,
  )
}
