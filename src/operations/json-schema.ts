// A schema as plain JSON Schema: the members that ours use, for those who read schemas and do not check with them.

export interface JsonSchema {
  readonly $ref?: string
  readonly title?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly maxItems?: number
  readonly multipleOf?: number
  readonly readOnly?: boolean
  /** Ours: how many decimal places a number may have. */
  readonly decimals?: number
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly minProperties?: number
  readonly maxProperties?: number
  /** Fields that cannot be sent together. */
  readonly not?: { readonly required: readonly string[] }
}

export const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes('null')

/** Whether a field has to be sent: one with a default need not, whatever TypeBox, which checks after filling in, says. */
export const isRequired = ({ required, properties }: JsonSchema, name: string): boolean =>
  (required?.includes(name) ?? false) && properties?.[name]?.default === undefined
