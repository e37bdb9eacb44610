import type { Runtime, RuntimeOptions } from '@cadre/runtime'

/**
 * Creates a runtime from the files of a folder. Loads its modules on first use: a tool module imports this package only
 * for functions such as `defineTool`, and loading the rest would take 65 ms and 16 MB.
 */
export async function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  const runtime = await import('@cadre/runtime')
  return runtime.createRuntime(options)
}
