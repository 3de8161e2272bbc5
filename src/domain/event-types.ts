// The types of events as people ask for them: one (`ticket.created`), all of a noun (`ticket.*`), or all (`*`).

export const typePattern = '^(\\*|[a-z][a-z_]*\\.(\\*|[a-z][a-z_]*))$'

/** Without patterns every type is meant. */
export const matchesType = (patterns: readonly string[], type: string): boolean =>
  patterns.length === 0 || patterns.some((pattern) => pattern === '*' || pattern === type || pattern === nounOf(type))

/** `ticket.*`, of `ticket.created`. */
const nounOf = (type: string) => `${type.slice(0, type.indexOf('.'))}.*`
