import { CadreError } from '@cadre/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from './parse-query.ts'
import { QueryError } from './query-error.ts'

function errorOf(query: string): QueryError {
  try {
    parseQuery(query)
  } catch (error) {
    if (error instanceof QueryError) return error
    throw error
  }
  throw new Error(`no error: ${query}`)
}

describe('valid queries', () => {
  it.each([
    'SELECT * FROM a.task.md',
    'select id, title from tasks/*.task.md where completed = true order by priority desc, id limit 3 into b.task.md;',
    "SELECT * FROM 'my tasks.task.md' WHERE title LIKE '%x\\%%'",
    'SELECT * FROM "a b" WHERE NOT (completed OR skipped) AND who CONTAINS \'ann\'',
    "SELECT * FROM a WHERE id IN ('a', 2, TRUE) AND x NOT IN (1) OR y IS NOT NULL AND z IS NULL LIMIT 0",
    "SELECT `limit`, `from` FROM a WHERE `limit` > 3 AND depends_on = 'b'",
    "INSERT INTO a SET title = 'x', tags = ('a', 'b'), due = NULL",
    "UPDATE a SET priority = 'A' WHERE id = 'x'",
    'DELETE FROM a WHERE id IS NOT NULL',
    "SELECT * FROM a WHERE a<=1 AND b>=2 AND c<>'d' AND e!='f'",
  ])('%s', (query) => {
    expect(parseQuery(query).text).toBe(query)
  })

  it('reads strings with doubled quotes and escapes', () => {
    const texts = (query: string) => {
      const { where } = parseQuery(`SELECT * FROM a WHERE t = ${query}`) as {
        where: { value: { text: string } }
      }
      return where.value.text
    }
    expect(texts(`'it''s'`)).toBe("it's")
    expect(texts(`"say ""hi"""`)).toBe('say "hi"')
    expect(texts(`'it\\'s\\n\\ta \\\\ \\%'`)).toBe("it's\n\ta \\ \\%")
    expect(texts(`'"'`)).toBe('"')
  })

  it('binds AND before OR and NOT before both', () => {
    const { where } = parseQuery('SELECT * FROM a WHERE NOT a = 1 AND b = 2 OR c = 3') as { where: object }
    expect(where).toMatchObject({
      kind: 'or',
      of: [{ kind: 'and', of: [{ kind: 'not' }, { kind: 'compare' }] }, { kind: 'compare' }],
    })
  })
})

describe('points at errors', () => {
  it.each([
    ['SELCT * FROM a', 'SELCT', 'Expected SELECT, INSERT, UPDATE, DELETE, not "SELCT". Did you mean SELECT?'],
    ['SELECT * FORM a', 'FORM', 'Expected FROM, not "FORM". Did you mean FROM?'],
    ['SELECT FROM a', 'FROM', 'Expected the name of a field, or *, not "FROM"'],
    ['SELECT * FROM WHERE a = 1', 'WHERE', 'Expected a file name, not WHERE'],
    ['SELECT * FROM a WHERE', '', 'not the end of the query.'],
    ["SELECT * FROM a WHERE b LKE 'c'", 'LKE', 'Did you mean LIKE'],
    ["SELECT * FROM a WHERE b ~ 'c'", '~', '"~" is not valid here'],
    ["SELECT * FROM a WHERE b == 'c'", '==', 'Use =.'],
    ["SELECT * FROM a WHERE b = 'c' && d = 1", '&&', 'Use AND.'],
    ['SELECT * FROM a WHERE b = c', 'c', "Put text in quotes: write 'c'."],
    ['SELECT * FROM a WHERE b = NULL', 'NULL', 'Use IS NULL'],
    ["SELECT * FROM a WHERE b IN ('c', NULL)", 'NULL', 'Use IS NULL'],
    ["SELECT * FROM a WHERE b IN 'c'", "'c'", 'Expected (, not the text "c".'],
    ["SELECT * FROM a WHERE tags > 'c'", '>', 'tags is a list'],
    ["SELECT * FROM a WHERE b = 'c", "'c", 'is not closed'],
    ["SELECT * FROM a WHERE (b = 'c'", '', 'Expected AND, OR or ), not the end of the query.'],
    [
      "SELECT * FROM a WHERE b = 'c')",
      ')',
      'Expected AND, OR, ORDER BY, LIMIT, INTO or the end of the query, not ")"',
    ],
    ["SELECT * FROM a WHERE b = 'c' ORDR BY d", 'ORDR', 'Did you mean ORDER'],
    ['SELECT * FROM a LIMIT -1', '-1', 'a whole number of at least 0'],
    ['SELECT * FROM a LIMIT 1.5', '1.5', 'a whole number'],
    ['SELECT * FROM a WHERE b = 2025-10-04', '2025-10-04', 'Put it in quotes'],
    ['SELECT * FROM a WHERE b = 1234e567', '1234e567', 'Put it in quotes'],
    ['SELECT * FROM a INTO b*.md', 'b*.md', 'This must be one file'],
    ["UPDATE a SET b = 'c'", '', 'UPDATE needs a WHERE. For all tasks, use WHERE id IS NOT NULL.'],
    ['DELETE FROM a', '', 'DELETE needs a WHERE. For all tasks, use WHERE id IS NOT NULL.'],
    ['DELETE FROM a WHER b = 1', 'WHER', 'Did you mean WHERE'],
    ['UPDATE a SET b = 1, b = 2 WHERE c = 3', 'b = 2', 'b is set twice'],
    ['INSERT a SET b = 1', 'a SET', 'Expected INTO, not "a"'],
    ['SELECT * FROM a; DELETE FROM a WHERE id IS NOT NULL', 'DELETE', 'not "DELETE"'],
    ['', '', 'not the end of the query'],
  ])('%s', (query, place, sentence) => {
    const error = errorOf(query)
    expect(error.sentence).toContain(sentence)
    const at = place === '' ? query.length : query.lastIndexOf(place)
    expect(error.column).toBe(at + 1)
    const [said, shown, caret] = error.message.split('\n')
    expect(said).toBe(error.sentence)
    expect(shown).toBe(`  ${query}`)
    expect(caret).toBe(`  ${' '.repeat(at)}^`)
    expect(error.code).toBe('usage')
  })

  it('shows one line of a multi-line query, without characters that would shift the caret, and part of a long line', () => {
    const [, shown, caret] = errorOf('SELECT *\nFROM a\n\tWHER b = 1').message.split('\n')
    expect([shown, caret]).toEqual(['   WHER b = 1', '   ^'])
    const long = errorOf(`SELECT * FROM a WHERE ${'b = 1 AND '.repeat(200)}c = d`)
    const [, part = '', below = ''] = long.message.split('\n')
    expect(part.length).toBeLessThan(110)
    expect(part[below.indexOf('^')]).toBe('d')
  })

  it('limits length and depth', () => {
    expect(errorOf(`SELECT * FROM a WHERE ${'('.repeat(200)}b = 1${')'.repeat(200)}`).sentence).toContain(
      'at most 100 levels',
    )
    expect(errorOf(`SELECT * FROM a WHERE ${'NOT '.repeat(200)}b = 1`).sentence).toContain(
      'at most 100 levels',
    )
    expect(errorOf('x'.repeat(10_001)).sentence).toContain('at most 10000')
    const flat = `SELECT * FROM a WHERE ${'(b = 1) AND '.repeat(500)} c = 2`
    expect(parseQuery(flat).kind).toBe('select')
  })
})

describe('any text', () => {
  const pieces = fc.constantFrom(
    ...[
      'SELECT',
      'FROM',
      'WHERE',
      'ORDER BY',
      'LIMIT',
      'INTO',
      'UPDATE',
      'SET',
      'DELETE',
      'INSERT INTO',
      '*',
      ',',
    ],
    ...[
      'a',
      'title',
      'who',
      '=',
      '!=',
      '<',
      '(',
      ')',
      'IN',
      'LIKE',
      'CONTAINS',
      'IS',
      'NOT',
      'NULL',
      'AND',
      'OR',
    ],
    ...[
      "'x'",
      '"y"',
      '3',
      '-1.5',
      "'",
      '"',
      '`',
      '\\',
      ';',
      '\n',
      'TRUE',
      '\u0000',
      '💥',
      '..',
      '/etc/passwd',
    ],
  )
  const words = fc.array(pieces, { maxLength: 30 }).map((all) => all.join(' '))

  it('is a query, or an error with a position', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), words), (text) => {
        try {
          parseQuery(text)
        } catch (error) {
          expect(error).toBeInstanceOf(CadreError)
          expect((error as QueryError).code).toBe('usage')
          expect((error as QueryError).column).toBeLessThanOrEqual(text.length + 1)
        }
      }),
      { numRuns: process.env['CADRE_DEEP'] ? 3000 : 800 },
    )
  })
})
