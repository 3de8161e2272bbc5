// The mail that invites somebody to an organisation.
import { invitationDays } from '../domain/invitations.ts'
import type { RenderedMail } from './mail.ts'
import { renderNotice } from './notice.ts'

interface InvitationMail {
  readonly orgName: string
  /** Who invites. */
  readonly memberName: string
  readonly link: string
}

export const invitationMail = ({ orgName, memberName, link }: InvitationMail): RenderedMail =>
  renderNotice({
    subject: `${orgName} invites you`,
    paragraphs: [
      `${memberName} invites you to work with ${orgName} at Jobwright: its jobs, customers and calendar.`,
      `The link is for you alone and works once, within ${invitationDays} days. You choose your own password there.`,
      'If you do not know why you get this mail, leave it: nothing happens.',
    ],
    link: { words: `Join ${orgName}`, url: link },
  })
