/** A parsed query, with the position of each part that can still cause an error. Positions count from 0. */
export type Query = SelectQuery | InsertQuery | UpdateQuery | DeleteQuery

export interface SelectQuery {
  readonly kind: 'select'
  readonly text: string
  /** `*` for all fields. */
  readonly fields: '*' | readonly FieldName[]
  readonly file: FileName
  readonly where?: Condition
  readonly order: readonly OrderKey[]
  readonly limit?: number
  readonly into?: FileName
}

export interface InsertQuery {
  readonly kind: 'insert'
  readonly text: string
  readonly file: FileName
  readonly set: readonly Assignment[]
}

export interface UpdateQuery {
  readonly kind: 'update'
  readonly text: string
  readonly file: FileName
  readonly set: readonly Assignment[]
  readonly where: Condition
}

export interface DeleteQuery {
  readonly kind: 'delete'
  readonly text: string
  readonly file: FileName
  readonly where: Condition
}

export interface FileName {
  readonly name: string
  readonly at: number
}

export interface FieldName {
  readonly name: string
  readonly at: number
}

export interface OrderKey {
  readonly field: FieldName
  readonly isDescending: boolean
}

export interface Assignment {
  readonly field: FieldName
  /** Several values in parentheses are a list. */
  readonly value: Literal | readonly Literal[] | null
  readonly at: number
}

/** A number keeps its text, because ids may look like numbers. */
export type Literal =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string; readonly number: number }
  | { readonly kind: 'boolean'; readonly text: 'true' | 'false'; readonly is: boolean }

export type Comparison = '=' | '!=' | '<' | '>' | '<=' | '>='

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly kind: 'not'; readonly of: Condition }
  | {
      readonly kind: 'compare'
      readonly field: FieldName
      readonly operator: Comparison
      readonly value: Literal
    }
  | { readonly kind: 'like' | 'contains'; readonly field: FieldName; readonly value: Literal }
  | { readonly kind: 'in'; readonly field: FieldName; readonly values: readonly Literal[] }
  | { readonly kind: 'null'; readonly field: FieldName }
