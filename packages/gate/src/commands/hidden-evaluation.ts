import type { ArithmeticExpression, SyntaxNode } from 'unbash'

const numeric = /^-(?:eq|ne|lt|le|gt|ge)$/
const number = /^[-+]?\d+$/

/**
 * Places where the shell evaluates the value of a variable as an expression, and with it any command that stands in the
 * value: indexes, arithmetic, indirection, prompts. What would run cannot be seen there.
 */
export function doubtOf(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
      return 'it calculates with (( )), which other shells run as commands'
    case 'ArithmeticExpansion':
      return isConstant(node.expression)
        ? undefined
        : 'it calculates with values that are only known when it runs'
    case 'TestBinary':
      if (node.operator === '<' || node.operator === '>')
        return 'it compares with < or > in [[ ]], which other shells take for a redirect'
      if (numeric.test(node.operator) && !(number.test(node.left.value) && number.test(node.right.value)))
        return 'it compares numbers that are only known when it runs'
      return undefined
    case 'TestUnary':
      return node.operator === '-v' || node.operator === '-R'
        ? 'it asks for a variable by a name that is evaluated'
        : undefined
    case 'ParameterExpansion': {
      const { operation } = node
      if (node.prefix === '!' || operation?.type === 'Names')
        return 'it uses a variable that another one names'
      if (node.index !== undefined && !/^(?:\d+|@|\*)$/.test(node.index.value)) return 'it evaluates an index'
      if (operation?.type === 'Transform' || operation?.type === 'Unknown')
        return 'it evaluates the value of a variable'
      if (operation?.type === 'Slice' && !number.test(operation.offset.value.trim()))
        return 'it evaluates an index'
      if (operation?.type === 'Slice' && operation.length && !number.test(operation.length.value.trim()))
        return 'it evaluates an index'
      return undefined
    }
    case 'HereDoc':
      if (!/^(?:'[\w.!-]+'|"[\w.!-]+"|\\?[\w.!-]+)$/.test(node.delimiter?.text ?? ''))
        return 'where a here-document ends is unusual'
      return node.closing === undefined ? 'a here-document has no end' : undefined
    case 'Assignment':
      return node.index !== undefined && !/^\d+$/.test(node.index.value) ? 'it evaluates an index' : undefined
    default:
      return undefined
  }
}

function isConstant(expression: ArithmeticExpression | undefined): boolean {
  switch (expression?.type) {
    case 'ArithmeticWord':
      return /^(?:\d+#)?\w*$/.test(expression.value) && /^\d/.test(expression.value)
    case 'ArithmeticBinary':
      return isConstant(expression.left) && isConstant(expression.right)
    case 'ArithmeticUnary':
      return isConstant(expression.operand)
    case 'ArithmeticTernary':
      return [expression.test, expression.consequent, expression.alternate].every(isConstant)
    case 'ArithmeticGroup':
      return isConstant(expression.expression)
    default:
      return false
  }
}
