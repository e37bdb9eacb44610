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
