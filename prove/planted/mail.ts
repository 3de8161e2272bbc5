// Faults in mail and reminders: what is sent twice, not at all, to somebody else, or when it should not be.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const sending = ['src/worker/mail.test.ts']
const letters = ['src/rendering/mail.test.ts']

export const mail: readonly Mutant[] = [
  {
    control: 'a subject is one line',
    file: 'src/rendering/sanitize-text.ts',
    find: ".replace(/\\s+/g, ' ').trim()\n",
    replace: '.trim()\n',
    tests: ['src/rendering/sanitize-text.test.ts'],
  },
  {
    control: 'a letter links to a web page only',
    file: 'src/rendering/mail.ts',
    find: "if (!/^https?:$/.test(new URL(options.shareUrl).protocol)) throw new Error('A mail links to a web page only')",
    replace: '',
    tests: letters,
  },
  {
    control: 'an address is one address, without a line break or a comma',
    file: 'src/operations/fields.ts',
    find: 'accepts: (value) => value.length <= longestEmail && emailPattern.test(value),',
    replace: "accepts: (value) => value.includes('@'),",
    tests: sending,
  },
  {
    control: 'mail is written down in the transaction that wants it sent',
    file: 'src/resources/billing/send.ts',
    find: '      await ctx.query(\n        enqueueMail(',
    replace: '      if (attachPdf === undefined) await ctx.query(\n        enqueueMail(',
    tests: sending,
  },
  {
    control: 'a mail that could not be sent is tried again',
    file: 'src/worker/mail.ts',
    find: 'const delay = outcome.isFinal ? undefined : backoffSeconds[mail.attempts - 1]',
    replace: 'const delay = outcome.isFinal ? undefined : undefined',
    tests: sending,
  },
  {
    control: 'the last word of a mail server is the last',
    file: 'src/worker/mail.ts',
    find: '(responseCode !== undefined && responseCode >= 500)',
    replace: '(responseCode !== undefined && responseCode >= 600)',
    tests: sending,
  },
  {
    control: 'a mail that never comes to an end is given up',
    file: 'src/worker/mail.ts',
    find: 'if (mail.attempts > backoffSeconds.length + 1)',
    replace: 'if (false)',
    tests: sending,
  },
  {
    control: 'mail about a document that is gone is not sent',
    file: 'src/worker/mail.ts',
    find: "if (rows.length === 0) throw new Undeliverable('The document was deleted')",
    replace: 'if (rows.length === 0) return undefined',
    tests: sending,
  },
  {
    control: 'who owes nothing is not reminded',
    file: 'src/worker/reminders.ts',
    find: "if (!hasBalance) return 'Nothing was owed any more'",
    replace: '',
    tests: sending,
  },
  {
    control: 'a reminder goes out once, however many workers there are',
    file: 'src/worker/reminders.ts',
    find: "and id = ${id} and status = 'scheduled'\n        for update`",
    replace: 'and id = ${id}`',
    tests: sending,
  },
]
