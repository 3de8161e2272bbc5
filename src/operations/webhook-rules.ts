// What a webhook may ask for. A problem follows the name of the field; undefined if there is none.

export interface WebhookRules {
  urlProblem(url: string): string | undefined
  typeProblem(pattern: string): string | undefined
  /** The names of entities whose records are told of. */
  readonly toldEntities: readonly string[]
}
