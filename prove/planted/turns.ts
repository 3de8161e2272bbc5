// Faults in the turns of organisations, and in work that is done in steps.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const pdfs = ['src/rendering/pdf/pdf-queue.test.ts']
const mail = ['src/worker/mail.test.ts']

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
  {
    control: 'organisations are served in turn',
    file: 'src/worker/fair-turns.ts',
    find: '    rotation.delete(orgId)\n    rotation.add(orgId) // behind everybody else\n',
    replace: '',
    tests: ['src/worker/fair-turns.test.ts'],
  },
  {
    control: 'the mail of one organisation has two of the carriers',
    file: 'src/worker/mail.ts',
    find: 'maxPerOrg: 2',
    replace: 'maxPerOrg: 4',
    tests: mail,
    expectedFailure: 'has two of the carriers',
  },
  {
    control: 'mail that was claimed waits for its row',
    file: 'src/worker/mail.ts',
    find: 'and attempts = ${mail.attempts} for update`',
    replace: 'and attempts = ${mail.attempts} for update skip locked`',
    tests: mail,
    expectedFailure: 'locks for an instant',
  },
  {
    control: 'a mail does not wait for ever for its PDF',
    file: 'src/worker/mail.ts',
    find: 'if (pdfTries + 1 < maxPdfTries)',
    replace: 'if (pdfTries >= 0)',
    tests: mail,
    expectedFailure: 'leaves without it',
  },
  {
    control: 'a mail server that was busy is no PDF that could not be made',
    file: 'src/worker/mail.ts',
    find: 'outcome.isOfPdf ? 1 : 0',
    replace: '1',
    tests: mail,
    expectedFailure: 'does not count as a PDF',
  },
  {
    control: 'reminders of organisations go out in turn',
    file: 'src/worker/reminders.ts',
    find: 'where org_id = ${orgId} and ${isDue} order by',
    replace: 'where ${orgId}::text is not null and ${isDue} order by',
    tests: mail,
    expectedFailure: 'go out in turn',
  },
  {
    control: 'visits of organisations are made in turn',
    file: 'src/worker/recurring.ts',
    find: 'where org_id = ${orgId} and ${isDue(options)} order by',
    replace: 'where ${orgId}::text is not null and ${isDue(options)} order by',
    tests: ['src/worker/recurring.test.ts'],
    expectedFailure: 'in turn',
  },
]
