// What was just done, said on the page that follows.
import { type Html, html } from '../http/html.ts'
import { type Mailer, writtenToFile } from './mail-words.ts'

/** Words come from here alone; an address cannot put its own on a page. */
export const flashMessages: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  moved: 'The job is moved.',
  made: 'The job is made.',
  noted: 'The note is added.',
  deleted: 'It is deleted.',
  added: 'It is added.',
  removed: 'It is removed.',
  signed: 'The signature is kept.',
  corrected: 'The quantity is corrected, and the reason is kept.',
  cleared: 'The signature is taken away.',
  submitted: 'The form is submitted.',
  voided: 'The form is voided. What waited for it can go on.',
  mailed: 'It is on its way to the customer.',
  linked: 'The customer can see it under the address below.',
  unlinked: 'The address does not work any more.',
  paid: 'The payment is recorded.',
  refunded: 'The refund is recorded.',
  scheduled: 'The customer will be reminded.',
  converted: 'The invoice is made. Look it over, then send it.',
  cancelled: 'The invoice is void.',
  paused: 'The agreement is paused. No jobs are made until it is resumed.',
  resumed: 'The agreement goes on. Visits that were missed meanwhile are skipped.',
  generated: 'The jobs are made.',
  kept: 'It is kept as a preset.',
  ended: 'The agreement is ended.',
  visitMoved: 'The visit is changed.',
  skipped: 'The visit is skipped.',
  changed: 'The member is changed.',
  invited: 'The invitation is on its way.',
  withdrawn: 'The invitation is withdrawn: its link no longer works.',
  shut: 'The calendar address is shut.',
  ordered: 'The order is changed.',
  statusesOrdered: 'The order is changed. On the board it counts within each stage: open, in progress, closed.',
  defaulted: 'It is the default now.',
  tested: 'A test mail is on its way to you. Look at the list again in a moment.',
  reopened: 'The form is open again. It must be signed and submitted anew.',
  exported: 'The file is made: download it below.',
  exportedNothing:
    'There is nothing to download: nothing on these days is new. What was in an earlier file, or was brought, counts as booked.',
  exportedTold: 'The file is made: download it below. Beside it stands what else the books need.',
  toldAlone: 'Nothing on these days is new. Below stands what else the books need.',
}

/** What is said of mail where it goes nowhere. */
const mailMessages: Readonly<Record<string, string>> = {
  mailed: 'the mail was written to a file',
  scheduled: 'the reminder will be written to a file',
  tested: 'the test mail was written to a file',
}

export function flashOf(request: Mailer, done = ''): Html | false {
  if (!request.hasMailServer && Object.hasOwn(mailMessages, done)) return writtenToFile(request, mailMessages[done]!)
  return Object.hasOwn(flashMessages, done) && html`<p class="note good" role="status">${flashMessages[done]}</p>`
}
