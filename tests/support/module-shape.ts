import { parseSync } from 'vite'

/** The imports and exports of a source file, from its syntax tree, so that comments and strings cannot fool it. */
export interface ModuleShape {
  /** Every module it names: imports, re-exports, `import()`, types, `require`. */
  readonly imports: readonly string[]
  /** A dynamic import with a computed target cannot be checked. */
  readonly hasComputedImport: boolean
  readonly hasDefaultExport: boolean
  readonly hasReExport: boolean
}

export function readModule(file: string, text: string): ModuleShape {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const shape = {
    imports: [] as string[],
    hasComputedImport: false,
    hasDefaultExport: false,
    hasReExport: false,
  }
  visit(program, (node) => {
    switch (node.type) {
      case 'ExportDefaultDeclaration':
        shape.hasDefaultExport = true
        return
      case 'ExportSpecifier':
        if (nameOf(node.exported) === 'default') shape.hasDefaultExport = true
        return
      case 'ImportDeclaration':
      case 'TSImportType':
      case 'ImportExpression':
        return addImport(node.source)
      case 'TSExternalModuleReference':
        return addImport(node.expression)
      case 'ExportAllDeclaration':
      case 'ExportNamedDeclaration':
        if (!node.source) return
        shape.hasReExport = true
        return addImport(node.source)
      case 'CallExpression':
        if (nameOf(node.callee) === 'require') addImport((node.arguments as unknown[])[0])
    }
  })
  return shape

  function addImport(source: unknown): void {
    const target = textOf(source)
    if (target === undefined) shape.hasComputedImport = true
    else shape.imports.push(target)
  }
}

type Node = { readonly type: string; readonly [key: string]: unknown }

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  else if (isNode(value)) {
    see(value)
    for (const child of Object.values(value)) visit(child, see)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function nameOf(node: unknown): unknown {
  return isNode(node) ? (node.name ?? node.value) : undefined
}

function textOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  if (node.type !== 'TemplateLiteral' || (node.expressions as unknown[]).length > 0) return undefined
  const [part] = node.quasis as { value: { cooked: string } }[]
  return part?.value.cooked
}
