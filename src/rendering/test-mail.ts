// The mail that somebody sends themselves to see that mail arrives.
import type { RenderedMail } from './mail.ts'
import { renderNotice } from './notice.ts'

interface TestMail {
  readonly orgName: string
  /** Who asked for it. */
  readonly memberName: string
  /** The page that lists what was sent. */
  readonly listUrl: string
}

export const testMail = ({ orgName, memberName, listUrl }: TestMail): RenderedMail =>
  renderNotice({
    subject: `A test of the mail of ${orgName}`,
    paragraphs: [
      `${memberName} asked for this test. Mail of ${orgName} arrives: quotes, invoices and reminders will too.`,
      'Nothing else is to be done.',
    ],
    link: { words: 'What was sent', url: listUrl },
  })
