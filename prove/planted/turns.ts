// Faults in the turns of organisations, and in work that is done in steps.
import type { Mutant } from './mutant.ts'

const pdfs = ['src/rendering/pdf/pdf-queue.test.ts']

export const turns: readonly Mutant[] = [
  {
    control: 'of costly work one key has no more than its share at once',
    file: 'src/concurrency/fair-semaphore.ts',
    find: ' && (runningByKey.get(key) ?? 0) < maxPerKey',
    replace: '',
    tests: ['src/concurrency/fair-semaphore.test.ts'],
  },
  {
    control: 'the PDFs of one organisation are rendered one after the other',
    file: 'src/rendering/pdf/pdf-queue.ts',
    find: 'maxPerKey: 1, ',
    replace: '',
    tests: pdfs,
    expectedFailure: 'does not delay the PDF of another',
  },
  {
    control: 'a full queue of PDFs has a place for another organisation',
    file: 'src/rendering/pdf/pdf-queue.ts',
    find: 'semaphore.run(orgId, async',
    replace: "semaphore.run('', async",
    tests: pdfs,
    expectedFailure: 'takes the PDF of an organisation',
  },
  {
    control: 'the threads of PDFs stand behind those of requests',
    file: 'src/rendering/pdf/pdf-thread.ts',
    find: "if (process.platform === 'linux') setPriority(0, 10)",
    replace: '',
    tests: pdfs,
    expectedFailure: 'requests go before both',
  },
]
