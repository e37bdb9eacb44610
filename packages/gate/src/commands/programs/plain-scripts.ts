/**
 * Whether a program for `awk` neither starts something nor opens files of its own: by the signs it would need, wherever
 * they stand. A `>` behind a `print` may be a comparison; it is taken for a file.
 */
export function isPlainAwk(program: string): boolean {
  const signs = /[|@\\]|system|getline|close|fflush|ARG[VC]|ENVIRON|PROCINFO|SYMTAB|FUNCTAB/
  if (signs.test(program.replaceAll('||', '').replace(/\\[ntd./"]/g, ''))) return false
  const print = program.indexOf('print')
  return print < 0 || !program.includes('>', print)
}

/** A program for `jq` that reads nothing but its input: no modules, no environment. */
export function isPlainJq(program: string): boolean {
  // Blanks and comments may stand between the $ and the name.
  if (program.includes('$') && /(?<!\w)ENV(?!\w)/.test(program)) return false
  return !/\$__prog|(?<![\w."$-])(?:env|import|include|modulemeta|get_search_list)(?![\w/-]|\.(?:js|json|ya?ml|txt)\b)/.test(
    program,
  )
}

/** A format of git that starts no program: signatures are checked by gpg. */
export function isPlainFormat(text: string): boolean {
  return !/%[-+ ]*(?:\([^)]*signature|G)/i.test(text)
}
