// The same done for many records in one transaction, several at a time.

const batchSize = 8

/** What PostgreSQL says of everything that comes after a failure. */
const inFailedTransaction = '25P02'

/**
 * Statements travel down one connection: while PostgreSQL works on one, the next is on its way, and in the same order.
 * All have ended before a failure is passed on, since nothing may still be queried in a transaction that is rolled back.
 */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < items.length; start += batchSize) {
    const outcomes = await Promise.allSettled(items.slice(start, start + batchSize).map(run))
    const failures = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason)
    if (failures.length > 0) throw failures.find((failure) => failure?.code !== inFailedTransaction) ?? failures[0]
    results.push(...outcomes.map((outcome) => (outcome as PromiseFulfilledResult<Result>).value))
  }
  return results
}
