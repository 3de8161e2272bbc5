// A reporter for `node --test`: one line of JSON for each test that passed or failed by itself, as soon as it has ended.
import type { TestEvent } from 'node:test/reporters'

export interface Verdict {
  readonly name: string
  readonly hasPassed: boolean
}

/** A test that never ran says nothing of the code: its hook failed, or what it stands in was given up. */
const inheritedFailures = ['hookFailed', 'cancelledByParent', 'parentAlreadyFinished', 'subtestsFailed', 'testAborted']

export default async function* verdicts(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue
    const { name, skip, todo, details } = data
    // A file that could not be loaded is reported as a test of its name.
    const isTest = details.type !== 'suite' && !name.endsWith('.test.ts') && skip === undefined && todo === undefined
    const { failureType = '' } = (details as { error?: { failureType?: string } }).error ?? {}
    if (!isTest || inheritedFailures.includes(failureType)) continue
    yield `${JSON.stringify({ name, hasPassed: type === 'test:pass' } satisfies Verdict)}\n`
  }
}
