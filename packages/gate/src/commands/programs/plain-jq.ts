/** A program for `jq` that reads nothing but its input: no modules, no environment. */
export function isPlainJq(program: string): boolean {
  return !/\$ENV|\$__prog|(?<![\w."$-])(?:env|import|include|modulemeta|get_search_list)(?![\w/-]|\.(?:js|json|ya?ml|txt)\b)/.test(
    program,
  )
}
