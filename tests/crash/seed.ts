/** `CADRE_SEED` repeats a failed run; another number chooses other times and points. */
export const seed = Number(process.env['CADRE_SEED'] ?? 20_261_116)
