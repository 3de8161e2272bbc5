// Turns of organisations in background work: whoever has something due is served in turn, one batch each, so that much
// work of one organisation does not delay the little of another.

interface Turns {
  /** Those that have something due. */
  findOrgs(): Promise<readonly string[]>
  /** One batch; answers whether there may be more. */
  serve(orgId: string): Promise<boolean>
  /** How many turns are taken at once, and how many of them by one organisation. */
  readonly maxConcurrent?: number
  readonly maxPerOrg?: number
  /** Once it says so, no turn is begun. */
  isStopped?(): boolean
}

/** While turns are taken, this often somebody who came later is looked for. */
const lookAgainMs = 1_000

/** Until nobody has anything due. What fails ends it, after the turns that have begun. */
export async function takeTurns(turns: Turns): Promise<void> {
  const { findOrgs, serve, maxConcurrent = 1, maxPerOrg = 1, isStopped = () => false } = turns
  /** In the order in which they are next. */
  const rotation = new Set<string>()
  const active = new Map<Promise<unknown>, string>()
  let failure: { readonly error: unknown } | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  const fail = (error: unknown): [] => {
    failure ??= { error }
    return []
  }

  const isFree = (orgId: string) =>
    active
      .values()
      .filter((one) => one === orgId)
      .toArray().length < maxPerOrg
  const startTurn = (orgId: string): void => {
    rotation.delete(orgId)
    rotation.add(orgId) // behind everybody else
    const turn = serve(orgId)
      .then((hasMore) => {
        if (!hasMore) rotation.delete(orgId)
      })
      .catch(fail)
      .finally(() => active.delete(turn))
    active.set(turn, orgId)
  }

  for (;;) {
    const mayStart = () => !failure && !isStopped()
    if (mayStart() && performance.now() - lookedAt >= lookAgainMs) {
      lookedAt = performance.now()
      for (const orgId of await findOrgs().catch(fail)) rotation.add(orgId)
    }
    while (mayStart() && active.size < maxConcurrent) {
      const next = rotation.values().find(isFree)
      if (next === undefined) break
      startTurn(next)
    }
    if (active.size === 0) break
    await firstOf(active.keys())
  }
  if (failure) throw failure.error
}

/** Until a turn has ended or it is time to look again. */
async function firstOf(turns: Iterable<Promise<unknown>>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, lookAgainMs)
  await Promise.race([...turns, promise])
  clearTimeout(timer)
}
