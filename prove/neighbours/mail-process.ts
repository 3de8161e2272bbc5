// The mail server of the trial in a process of its own, so that reading long mails does not delay who is measured.
import { constants, setPriority } from 'node:os'
import { startMailServer } from '../../test/mail-server.ts'

/** First the address, then the recipients of each mail that arrives. */
export type MailMessage = { readonly url: string } | { readonly recipients: readonly string[] }

setPriority(constants.priority.PRIORITY_LOW) // elsewhere it is another machine
const server = await startMailServer()
process.send?.({ url: server.url } satisfies MailMessage)
process.once('disconnect', () => process.exit(0)) // the parent process is gone, or done
for (let told = 0; ; ) {
  await server.arrival()
  await new Promise((resolve) => setTimeout(resolve, 20)) // it is read once it has arrived
  for (; told < server.received.length; told++)
    process.send?.({ recipients: server.received[told]!.recipients } satisfies MailMessage)
}
